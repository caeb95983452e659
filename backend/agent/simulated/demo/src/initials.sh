# initials NAME prints the first letter of every word of NAME.
initials() {
    out=
    for word in $1; do
        out=$out$(printf '%.1s' "$word")
    done
    printf '%s\n' "$out"
}
