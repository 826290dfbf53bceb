package pgtest

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
)

// Place is where a cluster lives. The zero value is this machine's loopback.
type Place struct {
	// Address is what the server listens at. Who comes from a network that its
	// machine stands in is let in. Default 127.0.0.1.
	Address netip.Addr

	// Start starts a program of the server, as in a network namespace of its
	// own. Default (*exec.Cmd).Start.
	Start func(*exec.Cmd) error
}

// StartAt is StartOwn at another place.
func StartAt(p Place) (*Cluster, error) { return start(memory(), p) }

func (p Place) address() string {
	if !p.Address.IsValid() {
		return "127.0.0.1"
	}
	return p.Address.String()
}

func (p Place) start(cmd *exec.Cmd) error {
	if p.Start == nil {
		return cmd.Start()
	}
	return p.Start(cmd)
}

func (p Place) run(cmd *exec.Cmd) error {
	if err := p.start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}

// admit lets in who comes from the networks that the server stands in; initdb
// admits loopback alone.
func (p Place) admit(data string) error {
	if !p.Address.IsValid() || p.Address.IsLoopback() {
		return nil
	}
	hosts, err := os.OpenFile(filepath.Join(data, "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(hosts, "host all all samenet trust")
	return errors.Join(err, hosts.Close())
}
