#!/usr/bin/env bash
# Fetches the agents that package.json names, lets each connect to a hub, and
# records what they say into ../testdata/handshakes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
# Not `npm ci`: it wants the binaries of every platform in the lock, and a mirror
# may have those of this one only.
npm install --no-save --no-audit --no-fund --loglevel=error
cd ../../..
TQ_AGENTS="$here/node_modules/.bin" go test ./test/mcp -run RealAgentsConnect -count=1 -timeout=20m -v
