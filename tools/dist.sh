#!/usr/bin/env bash
# dist.sh [OS/ARCH…]: builds what is released into dist/: for each target one
# archive with the binary, the manual and the completions; a bill of materials of
# each binary; the SHA-256 of all of it. The version is that of git's tag, or of
# the commit when it has none, as Go itself writes it into the binary. The same
# commit shall give the same bytes on any machine with the same Go; tools/twice.sh
# compares two builds.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=("$@")
[ $# -gt 0 ] || targets=({linux,darwin,windows}/{amd64,arm64})
go=${GO:-go}
sbom=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

# Nothing of the machine goes in: not its flags, not its folders, not its clock.
export CGO_ENABLED=0 GOFLAGS=-trimpath GOWORK=off LC_ALL=C TZ=UTC
stamp=-buildvcs=false
when=1970-01-01T00:00:00Z
if git rev-parse HEAD >/dev/null 2>&1; then
	stamp=-buildvcs=true
	when=$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
else
	echo "dist: this is no git work tree, the binaries will not know their version" >&2
fi

rm -rf dist
mkdir -p dist/completions
host=$(mktemp -d)
trap 'rm -rf "$host"' EXIT
"$go" build "$stamp" -o "$host/tq" ./cmd/tq
"$go" run ./internal/manual dist/man
for shell in bash zsh fish powershell; do
	"$host/tq" completion "$shell" >"dist/completions/tq.$shell"
done
[ -n "${DIST_NO_SBOM:-}" ] || GOFLAGS='' GOBIN=$host GOOS='' GOARCH='' "$go" install "$sbom"

# pack FOLDER ARCHIVE: the same bytes for the same files.
pack() {
	tar --sort=name --mtime="$when" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
		-C dist -cf - "$1" | gzip -n -9 >"$2"
}

for target in "${targets[@]}"; do
	os=${target%/*} arch=${target#*/}
	name=tq_${os}_$arch
	binary=tq
	[ "$os" != windows ] || binary=tq.exe
	echo "dist: $target"
	mkdir -p "dist/$name"
	GOOS=$os GOARCH=$arch "$go" build "$stamp" -ldflags='-s -w -buildid=' -o "dist/$name/$binary" ./cmd/tq
	[ -n "${DIST_NO_SBOM:-}" ] ||
		"$host/cyclonedx-gomod" bin -json -std -noserial -notimestamp -output "dist/$name.cdx.json" "dist/$name/$binary" 2>/dev/null
	cp -r LICENSE README.md dist/man dist/completions "dist/$name/"
	pack "$name" "dist/$name.tar.gz"
	rm -r "dist/$name"
done
rm -r dist/completions dist/man
(cd dist && sha256sum -- * >SHA256SUMS)
echo "dist: $("$host/tq" version)"
