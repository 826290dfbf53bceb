package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"example.com/tq/internal/config"
	"example.com/tq/internal/server"
)

// The token of this user on this machine: made by the first tq serve at a
// loopback address, kept in a file that nobody else can read, found by every
// command that asks such a hub. TQ_TOKEN goes before it.

// maxTokenFile is how much of the file is read, in bytes.
const maxTokenFile = 4 << 10

// token is what a hub at that address is shown: TQ_TOKEN, the content of the
// file that TQ_TOKEN_FILE names (a mounted secret, so its mode is not ours to
// judge) or, on this machine, the file. A token never goes to another machine by
// itself.
func (a *app) token(address string) (string, error) {
	if t := a.Getenv("TQ_TOKEN"); t != "" {
		return t, nil
	}
	if path := a.Getenv("TQ_TOKEN_FILE"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", usage("TQ_TOKEN_FILE: %w", err).WithHint("name a file with a token in it, or unset it")
		}
		return strings.TrimSpace(string(text)), nil
	}
	u, err := url.Parse(address)
	if err != nil || !isLoopback(u.Hostname()) {
		return "", nil //nolint:nilerr // who dials says what is wrong with it
	}
	return readToken(config.TokenFile(a.Getenv))
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// readToken reads the file; "" when there is none. One that others can read is
// refused: it is no secret any more.
func readToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	switch {
	case !info.Mode().IsRegular() || info.Size() > maxTokenFile:
		return "", usage("%s is not a file with a token in it", path).WithHint("remove it; tq serve makes a new one")
	case othersMayRead(info):
		return "", usage("others can read the token in %s", path).
			WithHint("tq token revoke it and remove the file; tq serve makes a new one")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// writeToken makes the file, whole or not at all.
func writeToken(path, secret string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	f, err := os.CreateTemp(dir, ".token-*") // 0600
	if err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // what is half written helps nobody
		}
	}()
	_, err = f.WriteString(secret + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	return os.Rename(f.Name(), path)
}

// keepSessions lets the sessions of a hub outlive it, in a file beside the token.
// The hub at another address has another one. Without a home they end with it.
func (a *app) keepSessions(g *server.Gate, addr net.Addr) {
	path := config.TokenFile(a.Getenv)
	if path == "" {
		return
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		a.log.Warn("sessions of the dashboard end with this hub", "error", err)
		return
	}
	name := strings.NewReplacer(":", "_", "[", "", "]", "", "%", "_").Replace(addr.String())
	g.KeepSessions(filepath.Join(dir, "sessions-"+name+".json"))
}
