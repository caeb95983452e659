# center WIDTH LINE prints LINE in the middle of WIDTH columns.
center() {
    left=$((($1 - ${#2}) / 2))
    if [ "$left" -le 0 ]; then
        printf '%s\n' "$2"
        return
    fi
    printf '%*s%s\n' "$left" '' "$2"
}
