#!/usr/bin/env bash
# need.sh PROGRAM [DEBIAN-PACKAGE…]: nothing when PROGRAM is there. Otherwise
# installs the packages, in CI at once, at a terminal after asking; where it may
# not or cannot, it says what to do and fails.
set -euo pipefail

program=$1
shift
command -v "$program" >/dev/null && exit 0
# Where Debian keeps servers that are not meant to be typed.
compgen -G "/usr/lib/postgresql/*/bin/$program" >/dev/null && exit 0
[ -x "/usr/sbin/$program" ] && exit 0

stop() {
	echo "need: $program is not installed" >&2
	echo "hint: $1" >&2
	exit 1
}

[ $# -gt 0 ] || stop "install it and put it on PATH"
command -v apt-get >/dev/null || stop "install $program with your system's package manager"

if [ "${CI:-}" != true ]; then
	[ -t 0 ] || stop "run: apt-get install $*"
	read -r -p "$program is missing. Run 'apt-get install $*' now? [y/N] " answer
	[[ $answer == [yY]* ]] || stop "run: apt-get install $*"
fi

root=()
[ "$(id -u)" = 0 ] || root=(sudo)
"${root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "$@"
