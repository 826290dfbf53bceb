// Package client asks a hub over HTTP. Remote is a tq.Client like the Broker:
// a worker, a command or a program cannot tell which of the two it has.
//
//	hub, err := client.New("https://tasks.example.com", client.Options{Token: os.Getenv("TQ_TOKEN")})
//	worker := tq.Worker{Client: hub}
package client

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"example.com/tq"
)

// Options of a Remote; the zero value works for a hub that asks for no token.
type Options struct {
	// Token is the bearer token, made by tq token create.
	Token string

	// Insecure lets a token go over plain HTTP to another machine, where
	// everybody on the way can read it.
	Insecure bool

	// TLS is how to speak to an https hub; nil trusts the system's roots.
	TLS *tls.Config

	// HTTP sends the requests; nil is a client that keeps its connections
	// open. It must follow no redirects.
	HTTP *http.Client

	// UserAgent names the program; default "tq".
	UserAgent string
}

// Remote is a hub at an address. It is safe for concurrent use.
type Remote struct {
	base  string
	token string
	agent string
	http  *http.Client
}

var _ tq.Client = (*Remote)(nil)

// New makes a Remote for the hub at an address such as http://127.0.0.1:8080.
// Nothing is sent yet. The address is refused (invalid) when it is none, and a
// token over plain HTTP to another machine unless Insecure.
func New(address string, o Options) (*Remote, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, tq.Errorf(tq.CodeInvalid, "the address of a hub is http://HOST:PORT or https://HOST")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, tq.Errorf(tq.CodeInvalid, "the address of a hub has no user, query or fragment").
			WithHint("the token goes into TQ_TOKEN")
	}
	if o.Token != "" && u.Scheme == "http" && !o.Insecure && !isLoopback(u.Hostname()) {
		return nil, tq.Errorf(tq.CodeInvalid, "a token to %s over plain HTTP can be read on the way", u.Host).
			WithHint("use https://%s; if the network is yours alone, --insecure", u.Host)
	}
	r := &Remote{base: strings.TrimSuffix(u.String(), "/"), token: o.Token, agent: o.UserAgent, http: o.HTTP}
	if r.agent == "" {
		r.agent = "tq"
	}
	if r.http == nil {
		r.http = &http.Client{Transport: transport(o.TLS), CheckRedirect: noRedirect}
	}
	return r, nil
}

// Close lets go of idle connections. Calls after it still work.
func (r *Remote) Close() error {
	r.http.CloseIdleConnections()
	return nil
}

// Address is where the hub is.
func (r *Remote) Address() string { return r.base }

// transport keeps connections for as many calls as a worker has at once. A
// proxy from the environment is used for other machines only, as everywhere in
// Go.
func transport(conf *tls.Config) *http.Transport {
	const dialTime, keep = 10 * time.Second, 90 * time.Second // keep: shorter than the hub does
	d := net.Dialer{Timeout: dialTime, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         d.DialContext,
		TLSClientConfig:     conf,
		TLSHandshakeTimeout: dialTime,
		MaxIdleConnsPerHost: 128,
		IdleConnTimeout:     keep,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true,
	}
}

// noRedirect: a redirect could take the token elsewhere.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
