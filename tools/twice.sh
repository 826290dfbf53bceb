#!/usr/bin/env bash
# twice.sh [OS/ARCH]: builds one target of the committed tree twice, in folders of
# different names and the second time with an empty build cache, and compares the
# archives byte for byte. Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-linux/amd64}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in once a/second/time; do
	git clone --quiet --no-hardlinks . "$work/$folder"
	[ "$folder" = once ] || export GOCACHE=$work/cache
	(cd "$work/$folder" && DIST_NO_SBOM=1 tools/dist.sh "$target")
done
diff "$work/once/dist/SHA256SUMS" "$work/a/second/time/dist/SHA256SUMS" || {
	echo "twice: two builds of one commit differ" >&2
	exit 1
}
cat "$work/once/dist/SHA256SUMS"
echo "twice: the same bytes"
