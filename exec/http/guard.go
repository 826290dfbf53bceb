package httpexec

import (
	"fmt"
	"net/netip"
	"syscall"
)

// Guard decides which addresses may be connected to: those of the public
// internet and those that Allow opens. A URL that somebody enqueued must not
// reach what only this machine can reach (server-side request forgery). It is
// asked when a connection is made, with the address that is dialled, so neither
// the spelling of a host nor a name that resolves differently the second time
// gets past it. Its zero value allows no private address.
type Guard struct {
	// Allow opens networks that are refused otherwise, as in 10.0.0.0/8.
	Allow []netip.Prefix
}

// Control is for net.Dialer.Control.
func (g Guard) Control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return &Refusal{Address: address, Why: "not TCP"}
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Refusal{Address: address, Why: "not an IP address"}
	}
	return g.Check(ap.Addr())
}

// Check returns a *Refusal unless addr may be connected to.
func (g Guard) Check(addr netip.Addr) error {
	addr = addr.Unmap().WithZone("")
	for _, p := range g.Allow {
		if p.Contains(addr) {
			return nil
		}
	}
	if why := private(addr); why != "" {
		return &Refusal{Address: addr.String(), Why: why}
	}
	return nil
}

// Refusal is the error for an address that may not be connected to.
type Refusal struct {
	Address string
	Why     string // what kind of address it is
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("address %s is refused (%s); the worker's --http-allow can open it", r.Address, r.Why)
}

// private says what kind of address addr is, "" for one of the public internet:
// the special-purpose registries of IANA (RFC 6890), and the addresses at which
// clouds hand out credentials.
func private(addr netip.Addr) string {
	if !addr.IsValid() {
		return "no address"
	}
	for _, n := range special() {
		if n.prefix.Contains(addr) {
			return n.kind
		}
	}
	// Of IPv6 only 2000::/3 is given out: the rest is local, mapped, translated
	// (NAT64) or nobody's.
	if addr.Is6() && !netip.MustParsePrefix("2000::/3").Contains(addr) {
		return "not a public IPv6 address"
	}
	return ""
}

type specialNet struct {
	prefix netip.Prefix
	kind   string
}

func special() []specialNet {
	n := netip.MustParsePrefix
	return []specialNet{
		{n("0.0.0.0/8"), "this host"},
		{n("10.0.0.0/8"), "private"},
		{n("100.64.0.0/10"), "carrier-grade NAT"},
		{n("127.0.0.0/8"), "loopback"},
		{n("168.63.129.16/32"), "cloud metadata"},
		{n("169.254.0.0/16"), "link-local, cloud metadata"},
		{n("172.16.0.0/12"), "private"},
		{n("192.0.0.0/24"), "protocol assignments, cloud metadata"},
		{n("192.0.2.0/24"), "documentation"},
		{n("192.88.99.0/24"), "6to4 relay"},
		{n("192.168.0.0/16"), "private"},
		{n("198.18.0.0/15"), "benchmarks"},
		{n("198.51.100.0/24"), "documentation"},
		{n("203.0.113.0/24"), "documentation"},
		{n("224.0.0.0/4"), "multicast"},
		{n("240.0.0.0/4"), "reserved, broadcast"},
		{n("::/128"), "unspecified"},
		{n("::1/128"), "loopback"},
		{n("64:ff9b::/96"), "NAT64"},
		{n("64:ff9b:1::/48"), "NAT64"},
		{n("fc00::/7"), "private"},
		{n("fe80::/10"), "link-local"},
		{n("ff00::/8"), "multicast"},
		{n("2001::/23"), "protocol assignments, Teredo"},
		{n("2001:db8::/32"), "documentation"},
		{n("2002::/16"), "6to4"},
		{n("3fff::/20"), "documentation"},
	}
}
