package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Pooler is a PgBouncer in transaction mode in front of a server.
type Pooler struct {
	url    string
	bin    string
	dir    string
	port   int
	server *exec.Cmd
	exited chan error
}

const poolerConfig = `[databases]
postgres = host=%s port=%s user=postgres dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 30
max_client_conn = 1000
logfile =
pidfile = %s
`

// StartPooler starts one for the database "postgres" of the server at address.
func StartPooler(address string) (*Pooler, error) {
	bin, err := poolerBinary()
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tq-pgbouncer-")
	if err != nil {
		return nil, err
	}
	p := &Pooler{
		bin: bin, dir: dir, port: port,
		url: fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port),
	}
	text := fmt.Sprintf(poolerConfig, u.Hostname(), u.Port(), port, filepath.Join(dir, "pid"))
	err = errors.Join(os.WriteFile(p.config(), []byte(text), 0o600), own(dir), own(p.config()))
	if err == nil {
		err = p.Launch()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

func (p *Pooler) config() string { return filepath.Join(p.dir, "pgbouncer.ini") }

// Launch starts the pooler, or starts it again after Crash, at the same address.
func (p *Pooler) Launch() error {
	p.server, p.exited = exec.CommandContext(context.Background(), p.bin, "-q", p.config()), make(chan error, 1)
	p.server.Dir = p.dir
	log := new(bytes.Buffer)
	p.server.Stderr = log
	asOther(p.server)
	if err := p.server.Start(); err != nil {
		return err
	}
	go func() { p.exited <- p.server.Wait() }()
	if err := p.await(p.port); err != nil {
		return fmt.Errorf("%w\n%s", errors.Join(err, p.Crash()), log)
	}
	return nil
}

func poolerBinary() (string, error) {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no pgbouncer here: run `apt-get install pgbouncer`")
}

// URL is the address of the database through the pooler.
func (p *Pooler) URL() string { return p.url }

// await tries until the pooler accepts connections or has ended.
func (p *Pooler) await(port int) error {
	ctx, stop := context.WithTimeout(context.Background(), startTimeout)
	defer stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return c.Close()
		}
		select {
		case err := <-p.exited:
			p.exited <- err
			return fmt.Errorf("pgbouncer ended: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("pgbouncer does not answer: %w", err)
		case <-tick.C:
		}
	}
}

// Crash kills the pooler.
func (p *Pooler) Crash() error {
	if err := p.server.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if err := <-p.exited; err == nil {
		return errors.New("pgbouncer ended by itself")
	}
	if err := os.Remove(filepath.Join(p.dir, "pid")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Stop ends the pooler for good.
func (p *Pooler) Stop() error { return errors.Join(p.Crash(), os.RemoveAll(p.dir)) }
