package httpexec_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	httpexec "example.com/tq/exec/http"
	"example.com/tq/test/tally"
)

func TestGuardTellsPublicAddressesFromOthers(t *testing.T) {
	t.Parallel()
	for _, text := range strings.Fields(`
		0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
		127.0.0.1 127.0.0.2 127.255.255.255 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2
		172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255
		198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
		:: ::1 ::2 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1
		64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1::1 2001:2::1 2001:20::1
		2001:db8::1 2002:7f00:1::1 2002:a9fe:a9fe::1 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254
		fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff0e::1`) {
		addr := netip.MustParseAddr(text)
		err := httpexec.Guard{}.Check(addr)
		var refusal *httpexec.Refusal
		if !errors.As(err, &refusal) || refusal.Why == "" {
			t.Errorf("%s: %v, want a refusal", text, err)
		}
		bits := addr.Unmap().WithZone("").BitLen()
		open := httpexec.Guard{Allow: []netip.Prefix{netip.PrefixFrom(addr.Unmap().WithZone(""), bits)}}
		if err := open.Check(addr); err != nil {
			t.Errorf("%s: %v, though it is allowed", text, err)
		}
	}
	for _, text := range strings.Fields(`
		1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
		169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0
		198.17.255.255 198.20.0.0 223.255.255.255 ::ffff:8.8.8.8 2000::1 2001:200::1 2001:4860:4860::8888
		2606:4700::1111 2a00::1 3ffe::1`) {
		if err := (httpexec.Guard{}).Check(netip.MustParseAddr(text)); err != nil {
			t.Errorf("%s: %v, want it allowed", text, err)
		}
	}
	if err := (httpexec.Guard{}).Check(netip.Addr{}); err == nil {
		t.Error("no address at all is allowed")
	}
}

func TestGuardTakesOnlyTCPToAddresses(t *testing.T) {
	t.Parallel()
	g := httpexec.Guard{}
	for _, test := range [][2]string{
		{"udp4", "8.8.8.8:53"},
		{"unix", "/run/docker.sock"},
		{"tcp4", "8.8.8.8"},
		{"tcp4", "localhost:80"},
		{"tcp4", "127.0.0.1:80"},
		{"tcp6", "[::1]:80"},
		{"tcp6", "[fe80::1%lo]:80"},
	} {
		if err := g.Control(test[0], test[1], nil); err == nil {
			t.Errorf("%s %s is allowed", test[0], test[1])
		}
	}
	for _, test := range [][2]string{{"tcp4", "8.8.8.8:443"}, {"tcp6", "[2606:4700::1111]:443"}} {
		if err := g.Control(test[0], test[1], nil); err != nil {
			t.Errorf("%s %s: %v", test[0], test[1], err)
		}
	}
}

// However a private address is spelt, no request gets there. Every name resolves
// to loopback here; some look-ups take the short forms of addresses for names.
func TestNoSpellingReachesAPrivateAddress(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	x := &httpexec.Executor{Resolver: resolver(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} })}
	hosts := strings.Fields(`
		127.0.0.1 127.0.0.2 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0x7f.0x0.0x0.0x1 017700000001 0177.0.0.1
		127.000.000.001 0.0.0.0 0 localhost LOCALHOST localhost. loopback.example 127.0.0.1.nip.example
		[::1] [::] [0:0:0:0:0:0:0:1] [0000::0001] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1]
		[64:ff9b::7f00:1] [2002:7f00:1::] [fe80::1%25lo] [fe80::1] [fd00:ec2::254] [ff02::1]
		10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 [::ffff:169.254.169.254] 100.100.100.200 168.63.129.16
		192.0.0.192 224.0.0.1 255.255.255.255 metadata.google.internal user@127.0.0.1 public.example@127.0.0.1
		127.0.0.1%2e%2e 1%32%37.0.0.1 127。0。0。1 ①②⑦.⓪.⓪.① ⓛocalhost [::1]. 0x7F000001`)
	for _, host := range hosts {
		for _, scheme := range []string{"http", "https"} {
			url := fmt.Sprintf("%s://%s:%s/", scheme, host, port)
			if _, err := execute(t, x, object(url)); err == nil {
				t.Errorf("%s got an answer", url)
			} else if !wishOf(err).permanent && !strings.HasSuffix(err.Error(), "no such host") {
				t.Errorf("%s: %v, want it refused for good", url, err)
			}
		}
	}
	if n := s.hits.Load(); n != 0 {
		t.Errorf("%d requests came through", n)
	}
	tally.Counts{Attempted: 2 * len(hosts), Acknowledged: 2 * len(hosts), OK: 2*len(hosts) - int(s.hits.Load()), Unexpected: int(s.hits.Load())}.Report(t)
	if len(hosts) < 30 {
		t.Errorf("%d spellings", len(hosts))
	}
}

func TestANameThatChangesItsAddressIsCheckedEachTime(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	allowed, refused := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
	answers := make(chan []netip.Addr, 3)
	x := &httpexec.Executor{
		Allow:    []netip.Prefix{netip.PrefixFrom(allowed, 32)},
		Resolver: resolver(func(string) []netip.Addr { return <-answers }),
	}
	payload := object("http://rebind.example:" + port)

	answers <- []netip.Addr{allowed}
	if _, err := execute(t, x, payload); err != nil {
		t.Fatalf("the allowed address: %v", err)
	}
	answers <- []netip.Addr{refused}
	mustFail(t, x, payload, "request to rebind.example:"+port+": dial tcp 127.0.0.2:"+port+
		": address 127.0.0.2 is refused (loopback); the worker's --http-allow can open it", permanent)
	answers <- []netip.Addr{refused, allowed}
	if _, err := execute(t, x, payload); err != nil {
		t.Errorf("of two addresses the allowed one: %v", err)
	}
	if n := s.hits.Load(); n != 2 {
		t.Errorf("%d requests, want one for each allowed address", n)
	}
}

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	x := &httpexec.Executor{Resolver: resolver(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr("10.0.0.1")} })}
	if _, err := execute(t, x, object("http://inner.example/")); err == nil {
		t.Error("the request was made")
	}
	if n := proxy.hits.Load(); n != 0 {
		t.Errorf("%d requests went to the proxy", n)
	}
}
