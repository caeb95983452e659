# wrap WIDTH TEXT prints TEXT in lines of at most WIDTH columns.
wrap() {
    printf '%s\n' "$2" |
        fold -s -w "$1" |
        sed 's/ *$//'
}

# indent TEXT prints every line of TEXT two columns further right.
indent() {
    printf '%s\n' "$1" |
        sed 's/^/  /'
}
