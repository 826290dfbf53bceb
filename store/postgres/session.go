package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// sessionSettings are what each connection asks of its session, unless the
// address says otherwise.
//
// Reads are not compiled: they go from a few rows through an index, but tables
// whose statistics are not kept up (facts, ready) look so large that each look
// at them would be compiled first, for 100 to 300 ms of processor time at every
// sweep.
//
// And the server is to notice, as we do at our end, that the other end has gone
// without a word, as when something in between reset or forgot the connection.
// By the defaults of Linux it would keep such a session for two hours, and let
// nobody in once there are max_connections of them.
func sessionSettings() [][2]string {
	seconds := func(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }
	return [][2]string{
		{"jit", "off"},
		{"tcp_keepalives_idle", seconds(quietFor)},
		{"tcp_keepalives_interval", seconds(probeEvery)},
		{"tcp_keepalives_count", strconv.Itoa(probes)},
		{"tcp_user_timeout", strconv.FormatInt(unansweredFor.Milliseconds(), 10)},
	}
}

// prepareSession gives a new connection its settings, but for those that are said
// in the address. Behind a pooler that hands its connections around the session
// is not ours, and left as it is.
func prepareSession(said map[string]string) func(context.Context, *pgconn.PgConn) error {
	var calls []string
	for _, s := range sessionSettings() {
		if _, own := said[s[0]]; !own {
			calls = append(calls, fmt.Sprintf("set_config('%s', '%s', false)", s[0], s[1]))
		}
	}
	return func(ctx context.Context, c *pgconn.PgConn) error {
		if len(calls) == 0 {
			return nil
		}
		_, err := c.Exec(ctx, fmt.Sprintf("select %s where pg_backend_pid() = %d", strings.Join(calls, ", "), c.PID())).ReadAll()
		return err
	}
}
