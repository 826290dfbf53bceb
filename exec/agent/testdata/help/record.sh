#!/usr/bin/env bash
# Fetches the agents that package.json names and records what they say of their
# flags beside it. crush is not among them: its package fetches a binary from
# elsewhere.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
# Not `npm ci`: it wants the binaries of every platform in the lock, and a mirror
# may have those of this one only.
npm install --no-save --no-audit --no-fund --loglevel=error
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
record() {
	name=$1
	shift
	HOME=$home NO_COLOR=1 COLUMNS=200 timeout 120 "node_modules/.bin/$name" "$@" 2>&1 < /dev/null | sed "/^WARNING: /d" > "$name.txt"
}
record claude --help
record codex exec --help
record opencode run --help
record gemini --help
cd ../../../..
go test ./exec/agent -run ProfilesCall -count=1 -v
