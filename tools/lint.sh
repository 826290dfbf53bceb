#!/usr/bin/env bash
# lint.sh GOLANGCI-LINT: runs the linter if it has been built, and is loud if not.
set -euo pipefail

if [ -x "$1" ]; then
	exec "$1" run --allow-parallel-runners ./...
fi
cat >&2 <<'LOUD'
********************************************************************
*  SKIPPED: golangci-lint did not run, it is not built.            *
*  make tools builds it (minutes, once); then: make lint           *
********************************************************************
LOUD
