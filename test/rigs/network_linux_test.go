package rigs

import (
	"fmt"
	"strings"
	"testing"
)

// A network of a rig: a server, and machines that have a wire to it each.

const serverAddress = "10.201.0.1" // reached over every wire

type network struct {
	server   *machine
	machines []*machine
}

func newNetwork(t *testing.T, names ...string) *network {
	t.Helper()
	if testing.Short() {
		t.Skip("network namespaces want root, and what happens in them takes its time")
	}
	n := &network{server: newMachine(t, "server")}
	n.server.run("ip", "address", "add", serverAddress+"/32", "dev", "lo")
	for i, name := range names {
		m := newMachine(t, name)
		n.machines = append(n.machines, m)
		n.wire(m, i+1)
	}
	return n
}

// wire connects a machine with the server.
func (n *network) wire(m *machine, number int) {
	n.server.t.Helper()
	near, far := fmt.Sprintf("10.201.%d.1", number), fmt.Sprintf("10.201.%d.2", number)
	n.server.run("ip", "link", "add", m.wireEnd(), "type", "veth", "peer", "name", "wire", "netns", itoa(m.thread))
	n.server.run("ip", "address", "add", near+"/30", "dev", m.wireEnd())
	n.server.run("ip", "link", "set", m.wireEnd(), "up")
	m.run("ip", "address", "add", far+"/30", "dev", "wire")
	m.run("ip", "link", "set", "wire", "up")
	m.run("ip", "route", "add", "default", "via", near)
}

// wireEnd is what the server calls its end of a machine's wire.
func (m *machine) wireEnd() string { return "to-" + m.name }

// cut lets nothing through the wire any more, in either direction. Both ends
// notice nothing but silence.
func (n *network) cut(m *machine) {
	n.server.t.Helper()
	n.server.deafen("cut-"+m.name, m.wireEnd())
	m.deafen("cut", "wire")
}

// deafen drops whatever arrives from a wire.
func (m *machine) deafen(table, wire string) {
	m.t.Helper()
	cmd := m.command("nft", "-f", "-")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(
		"table inet %s {\n chain arriving {\n type filter hook prerouting priority -300\n iifname %q drop\n }\n}\n", table, wire))
	if _, err := m.output(cmd); err != nil {
		m.t.Fatalf("%v\nhint: apt-get install nftables", err)
	}
}

// heal lets all through again.
func (n *network) heal(m *machine) {
	n.server.t.Helper()
	n.server.run("nft", "delete", "table", "inet", "cut-"+m.name)
	m.run("nft", "delete", "table", "inet", "cut")
}
