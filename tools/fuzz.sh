#!/usr/bin/env bash
# Runs every fuzz target of the module for so long, one after the other. What is
# found lies in testdata/fuzz of its package, and fails the ordinary tests until
# it is mended. Usage: tools/fuzz.sh 30s
set -euo pipefail

long=${1:?how long each target runs, such as 30s}
go=${GO:-go}
cd "$(dirname "$0")/.."

grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r room; do
	grep -hoE '^func Fuzz[A-Za-z0-9]*' "$room"/*_test.go | sed 's/^func //' | sort -u |
		while read -r target; do
			printf '%s %s: ' "$room" "$target"
			if ! said=$("$go" test "$room" -run '^$' -fuzz "^$target\$" -fuzztime "$long" -fuzzminimizetime 5s 2>&1 </dev/null); then
				printf 'FOUND\n%s\n' "$said"
				exit 1
			fi
			grep -oE 'execs: [0-9]+ \([0-9]+/sec\)|elapsed: [0-9smh.]+' <<<"$said" | tail -2 | paste -sd' '
		done
done
