#!/usr/bin/env bash
# golden.sh TQ: fills a golden store for the tests of upgrades with a tq of the
# version that is to be remembered, in the file that TQ_DB names or on the server:
#   TQ_DB=/tmp/golden.db tools/golden.sh bin/tq
#   gzip -n -9 </tmp/golden.db >store/sqlite/testdata/schema-N.db.gz
#   TQ_DB=postgres://… tools/golden.sh bin/tq
#   pg_dump --inserts --no-owner --schema=tq … | gzip -n -9 >store/postgres/testdata/schema-N.sql.gz
# store/storetest/golden.go knows what is in it.
set -euo pipefail
tq=$1
: "${TQ_DB:?name the store}"
HOME=$(mktemp -d)
export HOME TQ_DB
unset TQ_TOKEN TQ_CONFIG
trap 'rm -rf "$HOME"' EXIT

"$tq" enqueue --type sh --payload 'echo done'                # 1 completed
"$tq" enqueue --type sh --payload 'exit 3' --max-attempts 1  # 2 dead
"$tq" worker --drain
"$tq" enqueue --type sh --payload 'echo later' --delay 5s    # 3 scheduled
"$tq" enqueue --type golden --payload '{"n": 4}' --key four --queue shop --project cart --tag old
"$tq" enqueue --type golden --payload '{"n": 5}' --after 4   # blocked
"$tq" enqueue --type golden --payload '{"n": 6}' --priority 9
"$tq" enqueue --type golden --payload '{"n": 7}'             # cancelled
"$tq" cancel 7
"$tq" enqueue --type held --payload '{"n": 8}'
"$tq" claim --type held --lease 1s                           # nobody keeps it
"$tq" check
