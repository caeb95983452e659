# words TEXT prints how many words TEXT has.
words() {
    printf '%s\n' "$1" |
        tr -s ' \t' '\n' |
        grep -c .
}

# lines TEXT prints how many lines of TEXT are not empty.
lines() {
    printf '%s\n' "$1" |
        grep -c .
}
