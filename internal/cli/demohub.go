package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"example.com/tq"
	"example.com/tq/client"
)

// The demo's hub: `tq serve` in a process of its own, with a token of its own, so
// that the demo leaves the user's files alone and may run beside another one.

// demoHub is that process, and what it said at its start.
type demoHub struct {
	cmd   *exec.Cmd
	log   *os.File
	said  chan hubSaid
	ended chan struct{} // its last line was read

	url, link string
	token     string
}

// hubSaid is the address and the link that the hub printed.
type hubSaid struct{ url, link string }

// startHub starts this binary again as a hub, and waits until it answers.
func (d *demo) startHub(ctx context.Context) error {
	log, err := os.Create(filepath.Join(d.dir, "hub.log"))
	if err != nil {
		return usage("dir: %w", err)
	}
	cmd, err := company("serve", "--db", d.db, "--addr", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, log.Close())
	}
	cmd.Env = append(os.Environ(), "TQ_CONFIG="+os.DevNull, "XDG_CONFIG_HOME="+d.dir)
	lines, err := cmd.StderrPipe()
	if err != nil {
		return errors.Join(err, log.Close())
	}
	if err := cmd.Start(); err != nil {
		_ = log.Close() // the start is what went wrong
		return fmt.Errorf("start a hub: %w", err)
	}
	h := &demoHub{cmd: cmd, log: log, said: make(chan hubSaid, 1), ended: make(chan struct{})}
	d.hub = h
	go h.listen(lines)
	select {
	case said := <-h.said:
		h.url, h.link = said.url, said.link
	case <-h.ended:
		return tq.Errorf(tq.CodeInternal, "the hub did not start").WithHint("its log is %s", log.Name())
	case <-ctx.Done():
		return ctx.Err()
	}
	if h.token, err = readToken(filepath.Join(d.dir, "tq", "token")); err != nil {
		return err
	}
	d.client, err = client.New(h.url, client.Options{Token: h.token})
	return err
}

// company is a command of this binary that ends with this process, also when that
// is killed, so that a demo leaves nothing running behind.
func company(args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(self()[0], append([]string{companyArg}, args...)...)
	cmd.Args[0] = "tq"
	_, err := cmd.StdinPipe() // it is never written to, and closed by Wait
	return cmd, err
}

// listen keeps what the hub prints, and hands on where it is.
func (h *demoHub) listen(lines io.Reader) {
	defer close(h.ended)
	var found hubSaid
	for s := bufio.NewScanner(lines); s.Scan(); {
		_, _ = fmt.Fprintln(h.log, s.Text()) // a log that cannot be written stops no demo
		if _, at, ok := strings.Cut(s.Text(), " at http://"); ok {
			found.url = "http://" + at
		}
		if _, link, ok := strings.Cut(s.Text(), "dashboard: "); ok {
			found.link = link
			h.said <- found
		}
	}
}

// stop lets the hub drain and waits for its end.
func (h *demoHub) stop() {
	if h == nil {
		return
	}
	_ = h.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	<-h.ended
	_ = h.cmd.Wait() // its log says how it ended
	_ = h.log.Close()
}

// demoAt puts the demo's tasks into somebody's hub, for its workers.
func (a *app) demoAt(ctx context.Context, address string) error {
	hub, err := a.openHub(address)
	if err != nil {
		return err
	}
	d := &demo{app: a, start: a.Now(), client: hub.client}
	if err := d.enqueue(ctx); err != nil {
		return errors.Join(err, hub.close())
	}
	a.out.line("%d tasks are in %s: %d shards, one that always fails (%d), one that waits for all shards (%d)",
		demoShards+2, hub.place(), demoShards, d.broken, d.report)
	a.out.line("they run where a worker serves type sh: tq --db %s worker", hub.place())
	return hub.close()
}
