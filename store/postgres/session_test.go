package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// What a server keeps of a client that has gone without a word counts towards
// its max_connections (test/rigs: the wires to PostgreSQL that fail).
func TestAServerIsToNoticeAClientThatGoesWithoutAWord(t *testing.T) {
	t.Parallel()
	s := OpenAt(t, Server.URL(), Options{})
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
		if got, want := sessionOf(t, c), shownTo(c, "10 5 3 15000", "off"); got != want {
			t.Errorf("a connection %s has %s, want %s", name, got, want)
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
	if got, want := sessionOf(t, c.Conn()), shownTo(c.Conn(), "33 5 3 15000", "on"); got != want {
		t.Errorf("a session has %s, want %s", got, want)
	}
}

func TestAServerWithoutAConnectionLeftIsNamed(t *testing.T) {
	t.Parallel()
	s := OpenAt(t, Server.URL(), Options{})
	name := "none_" + s.o.Schema
	if _, err := s.pool.Exec(t.Context(), fmt.Sprintf("create role %s login password 'x' connection limit 0", name)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := s.pool.Exec(context.Background(), "drop role "+name); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(Server.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(name, "x")
	_, err = Open(u.String(), Options{Schema: s.o.Schema})
	var said *tq.Error
	if !errors.As(err, &said) || said.Code != tq.CodeUnavailable || !strings.Contains(said.Error(), "takes no more connections") || said.Hint != moreConns {
		t.Errorf("it is answered %+v", err)
	}
}

// shownTo is what a server shows: a socket of this machine has no wire to watch.
func shownTo(c *pgx.Conn, wire, jit string) string {
	if c.PgConn().Conn().RemoteAddr().Network() == "unix" {
		wire = "0 0 0 0"
	}
	return wire + " " + jit
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
