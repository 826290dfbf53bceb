package cli

import (
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
	hub, err := client.New(url, client.Options{
		Token:     token,
		Insecure:  a.insecure,
		UserAgent: "tq/" + version().short(),
	})
	if err != nil {
		return nil, err
	}
	return &door{client: hub, hub: hub}, nil
}
