#!/usr/bin/env bash
# native.sh up|down|reset: the topology of deploy/compose.yaml without Docker, on
# this machine's loopback: PostgreSQL, a hub that wants tokens, workers. Settings
# are those of deploy/.env (HOST_PORT, POSTGRES_PORT) and
#   NATIVE_DIR    data, tokens, logs (.cache/native)
#   WORKERS       how many (2)
#   WORKER_FLAGS  more flags for them, as in '--lease 5s'
#   TQ            the binary (bin/tq)
# `up` may be repeated: what runs stays, what has died is started again.
set -euo pipefail
cd "$(dirname "$0")/.."

set -a
# shellcheck disable=SC1091
[ ! -f deploy/.env ] || . deploy/.env
set +a
dir=${NATIVE_DIR:-$PWD/.cache/native}
port=${HOST_PORT:-8081}
pg_port=${POSTGRES_PORT:-5432}
tq=${TQ:-$PWD/bin/tq}
hub=http://127.0.0.1:$port
pg=$dir/postgres

# The settings of whoever types this are none of the topology's.
unset TQ_DB TQ_TOKEN TQ_TOKEN_FILE TQ_CONFIG

stop() {
	echo "native: $1" >&2
	[ $# -lt 2 ] || echo "hint: $2" >&2
	exit 1
}

# server PROGRAM …: one of PostgreSQL's, which refuse to run as root.
server() {
	local program=$1 bin
	shift
	bin=$(command -v initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -1) ||
		stop "there is no PostgreSQL server here" "make need-postgres"
	bin=$(dirname "$(readlink -f "$bin")")
	if [ "$(id -u)" = 0 ]; then
		(cd / && exec setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/$program" "$@")
	else
		"$bin/$program" "$@"
	fi
}

alive() { [ -f "$dir/$1.pid" ] && kill -0 "$(cat "$dir/$1.pid")" 2>/dev/null; }

# run NAME COMMAND…: in the background, if it does not run already.
run() {
	local name=$1
	shift
	! alive "$name" || return 0
	HOME=$dir setsid "$@" </dev/null >>"$dir/$name.log" 2>&1 &
	echo $! >"$dir/$name.pid"
}

# end NAME: as an interrupt does; the hub and workers finish what they are at.
end() {
	! alive "$1" || {
		kill "$(cat "$dir/$1.pid")"
		tail --pid="$(cat "$dir/$1.pid")" -f /dev/null
	}
	rm -f "$dir/$1.pid"
}

postgres_up() {
	if [ ! -d "$pg" ]; then
		mkdir -m 700 "$pg"
		[ "$(id -u)" != 0 ] || chown postgres: "$pg"
		server initdb -D "$pg" -U tq -A trust -E UTF8 --locale=C --no-sync >"$dir/initdb.log" 2>&1 ||
			stop "initdb: see $dir/initdb.log" "every folder above $dir must be open to the user postgres"
	fi
	server pg_ctl -D "$pg" status >/dev/null 2>&1 ||
		server pg_ctl -D "$pg" -l "$pg/server.log" -w -t 60 start >/dev/null \
			-o "-c listen_addresses=127.0.0.1 -c port=$pg_port -c unix_socket_directories= -c max_connections=200 -c synchronous_commit=on" ||
		stop "PostgreSQL does not start: see $pg/server.log" "POSTGRES_PORT=15432 make native-up, if the port is taken"
}

# ready waits for the hub: at most a minute, and not for one that has ended.
ready() {
	for _ in $(seq 300); do
		! "$tq" --db "$hub" ready >/dev/null 2>&1 || return 0
		alive hub || stop "the hub has ended: see $dir/hub.log" "HOST_PORT=18081 make native-up, if the port is taken"
		sleep 0.2
	done
	stop "the hub does not answer: see $dir/hub.log"
}

up() {
	[ -x "$tq" ] || stop "there is no $tq" "make build"
	mkdir -p "$dir/tokens"
	postgres_up
	export TQ_DB=postgres://tq@127.0.0.1:$pg_port/postgres?sslmode=disable TQ_INSECURE=true
	"$tq" token create --name admin --queue '*' --type '*,sh,agent' --can enqueue,claim,read,admin --file "$dir/tokens/admin" >/dev/null
	"$tq" token create --name worker --queue '*' --type '*,sh' --can claim,read --file "$dir/tokens/worker" >/dev/null
	run hub "$tq" serve --addr "127.0.0.1:$port"
	ready
	export TQ_DB=$hub
	for i in $(seq "${WORKERS:-2}"); do
		# shellcheck disable=SC2086 # flags are words
		TQ_TOKEN_FILE=$dir/tokens/worker run "worker-$i" "$tq" worker --name "worker-$i" ${WORKER_FLAGS:-}
	done
	echo "from here: export TQ_DB=$hub TQ_TOKEN_FILE=$dir/tokens/admin"
	echo "dashboard: $(TQ_TOKEN_FILE=$dir/tokens/admin "$tq" dashboard)"
}

down() {
	for pid in "$dir"/worker-*.pid; do
		[ ! -e "$pid" ] || end "$(basename "$pid" .pid)"
	done
	end hub
	[ ! -d "$pg" ] || ! server pg_ctl -D "$pg" status >/dev/null 2>&1 || server pg_ctl -D "$pg" -m fast -w stop >/dev/null
}

case ${1:-} in
up) up ;;
down) down ;;
reset)
	down
	rm -rf "$dir"
	;;
*) stop "want up, down or reset, not '${1:-}'" ;;
esac
