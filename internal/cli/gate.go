package cli

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/spf13/pflag"

	"example.com/tq/internal/config"
	"example.com/tq/internal/server"
)

// Who may come to a hub: what tq serve is told about it, and what it refuses to
// start with.

// gateFlags is that.
type gateFlags struct {
	hosts     []string
	cert, key string
	rate      float64
}

func (in *gateFlags) define(f *pflag.FlagSet) {
	namesFlag(f, &in.hosts, "allow-host", "names that this hub is reached by, beside localhost and the addresses of this machine")
	f.StringVar(&in.cert, "tls-cert", "", "certificate chain in PEM; read again on SIGHUP")
	f.StringVar(&in.key, "tls-key", "", "its key")
	f.Float64Var(&in.rate, "rate", 20_000, "requests each token may make in a second; -1 is any number")
}

// check refuses an address that the network can reach, unless callers must show
// a token and nobody on the way can read it.
func (a *app) checkAddress(ctx context.Context, d *door, addr string, in *gateFlags) error {
	host, _, err := net.SplitHostPort(addr)
	switch {
	case err != nil:
		return usage("addr: %w", err).WithHint("give one like 127.0.0.1:8080")
	case (in.cert == "") != (in.key == ""):
		return usage("tls-cert and tls-key go together")
	case isLoopback(host):
		return nil
	}
	tokens, err := d.store.Tokens(ctx)
	switch {
	case err != nil:
		return err
	case len(tokens) == 0:
		return usage("the network can reach %s, and there is no token yet", addr).
			WithHint("tq token create --name NAME --queue '*' --can enqueue,claim,read,admin")
	case in.cert == "" && !a.insecure:
		return usage("the network can reach %s, and tokens would go over it in plain sight", addr).
			WithHint("give --tls-cert FILE --tls-key FILE, or --insecure if something in front of it speaks TLS")
	}
	return nil
}

// newGate makes the gate of a hub.
func (a *app) newGate(d *door, addr string, in *gateFlags, refused func(reason string)) (*server.Gate, error) {
	hosts := in.hosts
	if host, _, err := net.SplitHostPort(addr); err == nil && host != "" {
		hosts = append(hosts, host)
	}
	return server.NewGate(server.GateOptions{
		Broker: d.broker, Hosts: hosts, Secure: in.cert != "", Rate: in.rate, Log: a.log, Refused: refused,
	})
}

// welcome says where the hub is, and to the user of this machine, who is given a
// token before anybody is told to come, the link to the dashboard.
func (a *app) welcome(ctx context.Context, d *door, g *server.Gate, addr, base string) error {
	place := d.store.Info().Place
	if host, _, _ := net.SplitHostPort(addr); !isLoopback(host) {
		a.out.note("serving %s at %s", place, base)
		return nil
	}
	secret, err := a.localToken(ctx, d)
	if err != nil {
		return err
	}
	a.out.note("serving %s at %s", place, base)
	a.out.note("dashboard: %s/login?code=%s", base, g.Code(secret))
	return nil
}

// localToken makes sure that this user has a token for the hub, in the file of
// this machine.
func (a *app) localToken(ctx context.Context, d *door) (string, error) {
	path := config.TokenFile(a.Getenv)
	if path == "" {
		return "", usage("there is no home folder to keep the token in").WithHint("set HOME or XDG_CONFIG_HOME")
	}
	old, err := readToken(path)
	if err != nil {
		return "", err
	}
	secret, err := d.broker.LocalToken(ctx, old, actor(a.Getenv))
	if err != nil || secret == old {
		return secret, err
	}
	if err := writeToken(path, secret); err != nil {
		return "", err
	}
	a.out.note("the token of this machine is in %s; commands find it by themselves", path)
	return secret, nil
}

// certificate is the current one.
type certificate struct {
	cert, key string
	now       atomic.Pointer[tls.Certificate]
}

// secure puts TLS over a listener. The certificate is read again on SIGHUP; one
// that cannot be read leaves the old one in use.
func (a *app) secure(ctx context.Context, l net.Listener, in *gateFlags) (net.Listener, error) {
	if in.cert == "" {
		return l, nil
	}
	c := &certificate{cert: in.cert, key: in.key}
	if err := c.read(); err != nil {
		return nil, usage("tls: %w", err)
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	go func() {
		defer signal.Stop(again)
		for {
			select {
			case <-ctx.Done():
				return
			case <-again:
				if err := c.read(); err != nil {
					a.out.note("the old certificate stays: %v", err)
					continue
				}
				a.out.note("the certificate was read again")
			}
		}
	}()
	return tls.NewListener(l, &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
	}), nil
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.now.Store(&pair)
	}
	return err
}

// scheme is how the hub is reached.
func (in *gateFlags) scheme() string {
	if in.cert != "" {
		return "https"
	}
	return "http"
}

// guard puts the gate into the options of a server.
func guard(o *server.Options, g *server.Gate) {
	o.Client = g.Client
	o.Wrap = append([]server.Middleware{g.Wrap}, o.Wrap...)
	o.Around = append([]server.Around{g.Around}, o.Around...)
}
