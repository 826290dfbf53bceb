package postgres

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// What a server keeps of a client that has gone without a word counts towards
// its max_connections (test/rigs: the wires to PostgreSQL that fail).
func TestAServerIsToNoticeAClientThatGoesWithoutAWord(t *testing.T) {
	t.Parallel()
	s := OpenAt(t, Server.URL(), Options{})
	defaults := "10 5 3 15000 off"
	for name, connect := range map[string]func() (*pgx.Conn, func()){
		"of the pool": func() (*pgx.Conn, func()) {
			c, err := s.pool.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return c.Conn(), c.Release
		},
		"that listens": func() (*pgx.Conn, func()) {
			c, err := pgx.ConnectConfig(t.Context(), s.pool.Config().ConnConfig)
			if err != nil {
				t.Fatal(err)
			}
			return c, func() {
				if err := c.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
		},
	} {
		c, release := connect()
		if got := sessionOf(t, c); got != defaults {
			t.Errorf("a connection %s has %s, want %s", name, got, defaults)
		}
		release()
	}
}

func TestTheAddressWinsOverWhatASessionIsGiven(t *testing.T) {
	t.Parallel()
	s := OpenAt(t, Server.URL()+"&tcp_keepalives_idle=33&jit=on", Options{})
	c, err := s.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if got := sessionOf(t, c.Conn()); got != "33 5 3 15000 on" {
		t.Errorf("a session has %s", got)
	}
}

func sessionOf(t *testing.T, c *pgx.Conn) string {
	t.Helper()
	var idle, interval, count, unanswered, jit string
	err := c.QueryRow(t.Context(), `select current_setting('tcp_keepalives_idle'), current_setting('tcp_keepalives_interval'),
		current_setting('tcp_keepalives_count'), current_setting('tcp_user_timeout'), current_setting('jit')`).
		Scan(&idle, &interval, &count, &unanswered, &jit)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(idle, " ", interval, " ", count, " ", unanswered, " ", jit)
}
