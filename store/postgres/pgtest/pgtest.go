// Package pgtest finds a PostgreSQL for tests: the one that TQ_TEST_POSTGRES
// names, else a throw-away cluster of its own, started from the server binaries
// of this machine and gone when the tests end.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Env names a server that tests may use. They make and drop schemas of their
// own in it and touch nothing else.
const Env = "TQ_TEST_POSTGRES"

const startTimeout = 60 * time.Second

// Cluster is a PostgreSQL server for tests. It listens on 127.0.0.1 only, unless
// its place is another.
type Cluster struct {
	url    string
	place  Place
	parent string
	dir    string
	bin    string
	port   int
	server *exec.Cmd
	exited chan error
	log    *bytes.Buffer
}

// Start returns a server that accepts connections. The caller stops it. When
// there are no server binaries it says how to get them.
func Start() (*Cluster, error) {
	if url := os.Getenv(Env); url != "" {
		return &Cluster{url: url}, nil
	}
	return StartOwn()
}

// StartOwn returns a cluster of its own, whatever Env says: one that may be
// killed. It lives in memory where the machine has a file system for that: what
// its tests show outlives a killed server there as well, and costs a fraction.
func StartOwn() (*Cluster, error) { return StartIn(memory()) }

// StartIn is StartOwn with the data in a new folder inside parent.
func StartIn(parent string) (*Cluster, error) { return start(parent, Place{}) }

func start(parent string, p Place) (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	c := &Cluster{place: p, parent: parent, bin: bin, log: new(bytes.Buffer)}
	if err := c.create(); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	if err := c.Launch(); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// PID is the process of the running server.
func (c *Cluster) PID() int { return c.server.Process.Pid }

// URL is the address of the server's database "postgres".
func (c *Cluster) URL() string { return c.url }

// Own reports whether the server is ours to stop and to kill.
func (c *Cluster) Own() bool { return c.dir != "" }

// binaries is the folder of initdb and postgres: on the PATH, or where Debian
// keeps it, the newest version first.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		path, err = filepath.EvalSymlinks(path) // the others stand beside the real one
		return filepath.Dir(path), err
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("no PostgreSQL server here: run `apt-get install postgresql`, or name a server in " + Env)
	}
	slices.SortFunc(found, func(a, b string) int { return version(b) - version(a) })
	return filepath.Dir(found[0]), nil
}

func version(path string) int {
	n, err := strconv.Atoi(strings.Split(path, "/")[4])
	if err != nil {
		return 0
	}
	return n
}

// create makes the data folder. The server refuses to run as root, so then both
// belong to an unprivileged user.
func (c *Cluster) create() error {
	dir, err := os.MkdirTemp(c.parent, "tq-postgres-")
	if err != nil {
		return err
	}
	c.dir = dir
	if err := own(dir); err != nil {
		return err
	}
	initdb := c.command("initdb", "-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := c.place.admit(c.data()); err != nil {
		return err
	}
	return c.listenAnywhere()
}

// listenAnywhere gives the cluster a port that is free.
func (c *Cluster) listenAnywhere() error {
	port, err := freePort()
	c.port, c.url = port, fmt.Sprintf("postgres://postgres@%s:%d/postgres?sslmode=disable", c.place.address(), port)
	return err
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

func freePort() (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), filepath.Join(c.bin, name), args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	asOther(cmd)
	return cmd
}

// Launch starts the server of a cluster that is not running and waits until it
// accepts connections. Settings, as in "work_mem=8MB", come on top of ours.
func (c *Cluster) Launch(settings ...string) error {
	args := []string{"-D", c.data()}
	for _, s := range append([]string{
		"listen_addresses=" + c.place.address(), "port=" + strconv.Itoa(c.port), "unix_socket_directories=",
		"max_connections=200", "shared_buffers=128MB", "fsync=on", "synchronous_commit=on",
		"log_min_messages=warning",
	}, settings...) {
		args = append(args, "-c", s)
	}
	c.server = c.command("postgres", args...)
	c.server.Stderr = c.log
	if err := c.place.start(c.server); err != nil {
		return err
	}
	server, exited := c.server, make(chan error, 1)
	c.exited = exited
	go func() { exited <- server.Wait() }()
	return c.await()
}

// await asks the server until it answers or has ended.
func (c *Cluster) await() error {
	ctx, stop := context.WithTimeout(context.Background(), startTimeout)
	defer stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ready := c.command("pg_isready", "-q", "-h", c.place.address(), "-p", strconv.Itoa(c.port))
		if c.place.run(ready) == nil {
			return nil
		}
		select {
		case err := <-c.exited:
			c.exited <- err
			return fmt.Errorf("postgres ended: %w\n%s", err, c.log)
		case <-ctx.Done():
			return fmt.Errorf("postgres does not answer after %s\n%s", startTimeout, c.log)
		case <-tick.C:
		}
	}
}

// Crash kills the server as a power cut of its process would; Launch brings it
// back.
func (c *Cluster) Crash() error { return c.end(os.Kill) }

// Shutdown stops the server at once but in order.
func (c *Cluster) Shutdown() error { return c.end(os.Interrupt) }

func (c *Cluster) end(signal os.Signal) error {
	if c.server == nil {
		return nil
	}
	if err := c.server.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if err := <-c.exited; err != nil && signal != os.Kill {
		return fmt.Errorf("postgres ended: %w\n%s", err, c.log)
	}
	c.server = nil
	return nil
}

// Gone reports whether the server has ended by itself.
func (c *Cluster) Gone() bool {
	select {
	case err := <-c.exited:
		c.exited <- err
		return true
	default:
		return false
	}
}

// Stop ends the server and removes its data.
func (c *Cluster) Stop() error {
	if c.dir == "" {
		return nil
	}
	return errors.Join(c.Shutdown(), os.RemoveAll(c.dir))
}
