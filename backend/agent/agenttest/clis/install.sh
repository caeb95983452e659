#!/bin/sh
# Installs the pinned agent programs into a cache folder of the user, named after
# the lock file, unless they are there, and prints that folder.
set -eu
cd "$(dirname "$0")"
if command -v sha256sum >/dev/null; then sum=sha256sum; else sum='shasum -a 256'; fi
hash=$($sum package-lock.json | cut -c1-16)
root=${XDG_CACHE_HOME:-$HOME/.cache}/offrun-test-agents
dir=$root/$hash
if [ ! -e "$dir/complete" ]; then
    mkdir -p "$root"
    fresh=$(mktemp -d "$root/$hash.XXXXXX")
    trap 'rm -rf "$fresh"' EXIT
    cp package.json package-lock.json "$fresh"
    # Their own platform packages are optional dependencies, and needed.
    (cd "$fresh" && npm ci --include=optional --no-audit --no-fund) >&2
    : >"$fresh/complete"
    # Somebody may have been quicker; then theirs is as good.
    mv "$fresh" "$dir" 2>/dev/null || [ -e "$dir/complete" ]
fi
printf '%s\n' "$dir"
