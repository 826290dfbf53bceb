package cli

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"

	"example.com/tq/client"
)

// A hub in the place of a database: --db http://HOST:PORT or https://HOST, with
// the token in TQ_TOKEN, or that of this machine (tokenfile.go).

func isHub(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// openHub makes the client of a hub. Nothing is sent yet.
func (a *app) openHub(url string) (*door, error) {
	token, err := a.token(url)
	if err != nil {
		return nil, err
	}
	trust, err := a.trust()
	if err != nil {
		return nil, err
	}
	hub, err := client.New(url, client.Options{
		Token:     token,
		TLS:       trust,
		Insecure:  a.insecure,
		UserAgent: "tq/" + version().short(),
	})
	if err != nil {
		return nil, err
	}
	return &door{client: hub, hub: hub}, nil
}

// trust is whom the certificate of a hub must come from: the authorities in the
// file of --ca and no others; without one those of the system.
func (a *app) trust() (*tls.Config, error) {
	if a.ca == "" {
		return nil, nil
	}
	text, err := os.ReadFile(a.ca)
	if err != nil {
		return nil, usage("ca: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, usage("ca: there is no certificate in %s", a.ca).WithHint("name a file with one in PEM: -----BEGIN CERTIFICATE-----")
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}
