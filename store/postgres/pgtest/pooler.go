package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	dir    string
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
		dir: dir, exited: make(chan error, 1),
		url: fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port),
	}
	text := fmt.Sprintf(poolerConfig, u.Hostname(), u.Port(), port, filepath.Join(dir, "pid"))
	config := filepath.Join(dir, "pgbouncer.ini")
	if err := errors.Join(os.WriteFile(config, []byte(text), 0o600), own(dir), own(config)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	p.server = exec.CommandContext(context.Background(), bin, "-q", config)
	p.server.Dir = dir
	log := new(bytes.Buffer)
	p.server.Stderr = log
	asOther(p.server)
	if err := p.server.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	go func() { p.exited <- p.server.Wait() }()
	if err := p.await(port); err != nil {
		return nil, fmt.Errorf("%w\n%s", errors.Join(err, p.Stop()), log)
	}
	return p, nil
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

// Stop ends the pooler.
func (p *Pooler) Stop() error {
	if err := p.server.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if err := <-p.exited; err == nil {
		return errors.New("pgbouncer ended by itself")
	}
	return os.RemoveAll(p.dir)
}
