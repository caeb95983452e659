. src/count.sh
. src/center.sh
. src/wrap.sh
. src/initials.sh

expect "words" "$(words 'one two  three')" 3
expect "lines" "$(lines 'one
two')" 2
expect "center" "$(center 9 abc)" "   abc"
expect "center: too long" "$(center 2 abc)" "abc"
expect "wrap" "$(wrap 8 'one two three')" "one two
three"
expect "indent" "$(indent a)" "  a"
expect "initials" "$(initials 'Ada King Lovelace')" AKL
