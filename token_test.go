package tq

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
)

func TestATokenOpensToWhatItWasSignedFor(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{7}, 32)
	for _, want := range [][2]int64{{1, 1}, {1, 2}, {1 << 62, 1 << 62}, {9_007_199_254_740_993, 1}} {
		id, epoch, err := OpenToken(secret, SignToken(secret, want[0], want[1]))
		if err != nil || id != want[0] || epoch != want[1] {
			t.Errorf("got %d, %d, %v, want %v", id, epoch, err, want)
		}
	}
}

func TestNoBitOfATokenCanBeForged(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{7}, 32)
	token := SignToken(secret, 42, 3)
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token, tokenPrefix))
	if err != nil {
		t.Fatal(err)
	}
	for bit := range len(raw) * 8 {
		forged := bytes.Clone(raw)
		forged[bit/8] ^= 1 << (bit % 8)
		_, _, err := OpenToken(secret, tokenPrefix+base64.RawURLEncoding.EncodeToString(forged))
		if CodeOf(err) != CodeLeaseLost {
			t.Errorf("with bit %d turned: got %v, want lease_lost", bit, err)
		}
	}
}

func TestATokenOfAnotherStoreOpensNothing(t *testing.T) {
	t.Parallel()
	_, _, err := OpenToken(bytes.Repeat([]byte{8}, 32), SignToken(bytes.Repeat([]byte{7}, 32), 42, 3))
	if CodeOf(err) != CodeLeaseLost {
		t.Errorf("got %v, want lease_lost", err)
	}
}

func TestWhatIsNotATokenIsInvalid(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{7}, 32)
	good := SignToken(secret, 42, 3)
	for name, token := range map[string]string{
		"empty":          "",
		"prefix alone":   tokenPrefix,
		"no prefix":      strings.TrimPrefix(good, tokenPrefix),
		"other prefix":   "tqx_" + strings.TrimPrefix(good, tokenPrefix),
		"cut":            good[:len(good)-1],
		"longer":         good + "A",
		"a megabyte":     strings.Repeat("A", 1<<20),
		"not base64":     good[:len(good)-2] + "!!",
		"padded":         good[:len(good)-1] + "=",
		"standard slash": good[:len(good)-2] + "/+",
	} {
		if _, _, err := OpenToken(secret, token); CodeOf(err) != CodeInvalid {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
}

func TestTokensOfDifferentAttemptsDiffer(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{7}, 32)
	seen := map[string]bool{}
	for id := range int64(100) {
		for epoch := range int64(100) {
			seen[SignToken(secret, id, epoch)] = true
		}
	}
	if len(seen) != 10_000 {
		t.Errorf("10,000 attempts have %d tokens", len(seen))
	}
}
