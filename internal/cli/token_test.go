package cli

import (
	"strings"
	"testing"
	"time"
)

func TestATokenIsShownOnceAndKeptAsAHash(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	got := d.run("token", "create", "--name", "sam", "--queue", "shop:*,own", "--can", "enqueue,read", "--expires", "90d")
	secret := strings.TrimSpace(got.out)
	if got.code != 0 || !strings.HasPrefix(secret, "tq_") || strings.ContainsAny(secret, " \n") {
		t.Fatalf("create: exit %d, printed %q", got.code, got.out)
	}
	list := d.ok("token", "list")
	if strings.Contains(list, secret[15:]) {
		t.Error("the list tells the secret")
	}
	for _, want := range []string{"sam", "enqueue,read", "shop:*,own", "*", "never", "in 89d23h"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list does not tell %q:\n%s", want, list)
		}
	}
	one := d.object("token", "list")
	if one["token"] != nil || one["id"] != secret[3:13] || one["name"] != "sam" {
		t.Errorf("listed as %v", one)
	}
}

func TestATokenIsRotatedAndRevoked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.object("token", "create", "--name", "sam", "--queue", "*", "--can", "read")
	next := d.object("token", "rotate", first["id"].(string), "--overlap", "0")
	if next["id"] == first["id"] || next["name"] != "sam" || next["token"] == first["token"] {
		t.Errorf("rotated to %v", next)
	}
	d.now = func() time.Time { return time.Now().Add(time.Second) }
	if list := d.ok("token", "list"); !strings.Contains(list, "expired") {
		t.Errorf("the old one is not shown as expired:\n%s", list)
	}
	for _, id := range []string{first["id"].(string), next["id"].(string)} {
		d.ok("token", "revoke", id)
		d.refused(3, "no token", "token", "revoke", id)
	}
	if got := d.run("token", "list"); got.out != "" || !strings.Contains(got.err, "no tokens") {
		t.Errorf("list: %q, %q", got.out, got.err)
	}
}

func TestATokenThatMeansNothingIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.refused(2, "name", "token", "create", "--queue", "*", "--can", "read")
	d.refused(2, "can", "token", "create", "--name", "sam", "--queue", "*")
	d.refused(2, "queues", "token", "create", "--name", "sam", "--can", "read")
	d.refused(2, "can", "token", "create", "--name", "sam", "--queue", "*", "--can", "write")
	d.refused(2, "expires", "token", "create", "--name", "sam", "--queue", "*", "--can", "read", "--expires", "90")
}
