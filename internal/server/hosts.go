package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"example.com/tq"
)

// Where a request says that it goes, and where it says that it comes from. A
// page on a name that was made to point here (DNS rebinding) names a foreign
// host; a page of somebody else's that posts here names a foreign origin.

// localAddresses lists those of this machine.
func localAddresses() ([]string, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("list the addresses of this machine: %w", err)
	}
	var out []string
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, p.Addr().Unmap().WithZone("").String())
		}
	}
	return out, nil
}

// checkSender refuses foreign hosts (421), foreign origins and cross-site
// changes (403), and packed bodies (415).
func (g *Gate) checkSender(r *http.Request) (reason string, err error) {
	if !g.isHere(r.Host, r) {
		e := tq.Errorf(tq.CodeForbidden, "this hub does not answer for host %s", shortPath(r.Host)).
			WithHint("start it with --allow-host %s if that is its name", hostName(r.Host))
		return "host", Refusal(http.StatusMisdirectedRequest, e)
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !g.isHere(u.Host, r) {
			return "origin", tq.Errorf(tq.CodeForbidden, "this hub does not answer pages of another origin")
		}
	}
	if err := g.cross.Check(r); err != nil {
		return "cross_site", tq.Errorf(tq.CodeForbidden, "this hub takes no changes from pages of another site")
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return "encoding", unsupported("Content-Encoding %s is not taken, send the body as it is", shortPath(enc))
	}
	return "", nil
}

// isHere reports whether a host, with or without a port, is this hub.
func (g *Gate) isHere(hostport string, r *http.Request) bool {
	host := hostName(hostport)
	if host == "" {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap().WithZone("")
		return ip.IsLoopback() || slices.Contains(g.local, ip.String()) || cameTo(r, ip) || slices.Contains(g.Hosts, host)
	}
	return host == "localhost" || slices.ContainsFunc(g.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// cameTo reports whether the connection was made to that address: interfaces
// come and go while a hub runs.
func cameTo(r *http.Request, ip netip.Addr) bool {
	to, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(to.String())
	return err == nil && at.Addr().Unmap().WithZone("") == ip
}

// hostName is a host without its port, in small letters.
func hostName(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
