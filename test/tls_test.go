package test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Security row 23: a hub speaks TLS from 1.2 on and nothing else, a command
// trusts whom it is told to trust, and a renewed certificate needs no restart.
func TestAHubSpeaksTLSAndReadsItsCertificateAgain(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	cert, key := a.path("hub.pem"), a.path("hub.key")
	a.issue(1, cert, key)
	h := serveHub(t, "--tls-cert", cert, "--tls-key", key)
	defer h.stop()
	if !strings.HasPrefix(h.url, "https://") {
		t.Fatalf("the hub is at %s", h.url)
	}
	ca := a.path("ca.pem")
	for _, x := range []struct {
		env, args []string
		want      string // of a refusal
	}{
		{args: []string{"--ca", ca}},
		{env: []string{"TQ_CA=" + ca}},
		{args: []string{"--ca", key}, want: "ca: there is no certificate in"},
		{args: []string{"--ca", ca + "x"}, want: "ca: "},
		{want: "certificate"},
	} {
		if said, err := h.tq(x.env, append(x.args, "enqueue", "--type", "t")...); (err != nil) != (x.want != "") || !strings.Contains(said, x.want) {
			t.Errorf("%v %v: %v, said %s, want %q", x.env, x.args, err, said, x.want)
		}
	}
	address := strings.TrimPrefix(h.url, "https://")
	answer, err := http.Get("http://" + address + "/v1/stats")
	if err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP was answered %v, %v", answer, err)
	}
	if err == nil {
		_ = answer.Body.Close() // only its status counts
	}
	if _, err := tls.Dial("tcp", address, &tls.Config{RootCAs: a.pool, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	h.showsCertificate(t, a, 1)

	a.issue(2, cert, key)
	h.hangUp(t)
	h.says(t, "the certificate was read again")
	h.showsCertificate(t, a, 2)

	if err := os.WriteFile(cert, []byte("-----BEGIN CERTIFICATE-----\nhalf"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.hangUp(t)
	h.says(t, "the old certificate stays")
	h.showsCertificate(t, a, 2)
	if said, err := h.tq(nil, "--ca", ca, "stats"); err != nil {
		t.Errorf("with the old certificate: %v %s", err, said)
	}
}

// tq runs a command against the hub, with its token.
func (h *served) tq(env []string, args ...string) (string, error) {
	cmd := exec.Command("tq", args...)
	cmd.Env = append(append(os.Environ(), "HOME="+h.home, "XDG_CONFIG_HOME=", "TQ_TOKEN="+h.token, "TQ_DB="+h.url), env...)
	said, err := cmd.CombinedOutput()
	return string(said), err
}

func (h *served) hangUp(t *testing.T) {
	t.Helper()
	if err := h.process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
}

func (h *served) showsCertificate(t *testing.T, a *authority, serial int64) {
	t.Helper()
	c, err := tls.Dial("tcp", strings.TrimPrefix(h.url, "https://"), &tls.Config{RootCAs: a.pool})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.ConnectionState().PeerCertificates[0].SerialNumber.Int64(); got != serial {
		t.Errorf("the hub shows certificate %d, want %d", got, serial)
	}
	_ = c.Close() // it has said what it should
}

// authority signs certificates, and keeps its own in ca.pem.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir(), pool: x509.NewCertPool()}
	a.key = a.newKey()
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority of our own"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, &a.key.PublicKey, a.key)
	a.must(err)
	a.write(a.path("ca.pem"), "CERTIFICATE", der)
	a.cert, err = x509.ParseCertificate(der)
	a.must(err)
	a.pool.AddCert(a.cert)
	return a
}

// issue writes a certificate for this machine and its key.
func (a *authority) issue(serial int64, cert, key string) {
	a.t.Helper()
	own := a.newKey()
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "hub"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
	}, a.cert, &own.PublicKey, a.key)
	a.must(err)
	a.write(cert, "CERTIFICATE", der)
	der, err = x509.MarshalPKCS8PrivateKey(own)
	a.must(err)
	a.write(key, "PRIVATE KEY", der)
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) newKey() *ecdsa.PrivateKey {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	a.must(err)
	return key
}

func (a *authority) write(path, kind string, der []byte) {
	a.t.Helper()
	a.must(os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

func (a *authority) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}
