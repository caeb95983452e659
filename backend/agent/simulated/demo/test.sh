#!/bin/sh
# Runs every file of tests/ and says how many expectations failed.
cd "$(dirname "$0")" || exit 2
failed=0

# expect NAME GOT WANT
expect() {
    if [ "$2" = "$3" ]; then
        echo "ok    $1"
    else
        echo "FAIL  $1: got \"$2\", want \"$3\""
        failed=$((failed + 1))
    fi
}

for test in tests/*.sh; do
    . "./$test"
done
echo "$failed failed"
[ "$failed" -eq 0 ]
