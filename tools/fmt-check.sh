#!/usr/bin/env bash
# fmt-check.sh GOFUMPT: fails and names the files that are not in the house format.
set -euo pipefail

files=$("$1" -l .)
[ -z "$files" ] && exit 0
echo "not in the house format:" >&2
echo "$files" >&2
echo "hint: make fmt" >&2
exit 1
