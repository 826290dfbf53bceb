#!/usr/bin/env bash
# The dashboard's gate. Without Node, Chromium or PostgreSQL it fails and says
# what to do: what was not tried does not pass.
set -euo pipefail
cd "$(dirname "$0")/../web"

need() {
	command -v "$1" >/dev/null && return
	echo "web-check needs $1: $2" >&2
	exit 1
}
step() { printf '\n== %s\n' "$*"; }

need node "install Node 20.19 or newer"
need chromium "on Debian: apt-get install chromium"
[ -d node_modules ] || npm ci --ignore-scripts

step format; npm run --silent format:check
step lint; npm run --silent lint
step types; npm run --silent types
step tests; npm run --silent test
step "fresh dist"; npm run --silent build
if [ -n "$(git status --porcelain -- dist)" ]; then
	git status --short -- dist
	echo "web/dist is not what its sources build: commit the new one" >&2
	exit 1
fi
step journeys; npm run --silent journeys
step "journeys on PostgreSQL, in short"; (cd .. && "${GO:-go}" run ./test/onpostgres npm --prefix web run --silent journeys -- smoke)
