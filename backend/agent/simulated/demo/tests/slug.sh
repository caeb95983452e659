. src/slug.sh

expect "slug: one word" "$(slug 'Hello')" hello
expect "slug: two words" "$(slug 'Hello World')" hello-world
expect "slug: signs" "$(slug 'Hello, World!')" hello-world
expect "slug: spaces around" "$(slug '  Hello  World ')" hello-world
