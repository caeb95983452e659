# slug TITLE prints TITLE as the last part of a link.
slug() {
    printf '%s\n' "$1" | tr ' ' '-'
}
