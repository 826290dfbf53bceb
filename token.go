package tq

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// A lease token is the right to settle one attempt. It names task and epoch and
// carries a MAC of both under the store's secret, so nothing has to be stored
// or looked up to check it, there is nothing to leak from reads or backups of
// the journal, and a token of an attempt long gone can still be told apart from
// a forged one (spec S2, S8).

const (
	tokenPrefix = "tqt_"
	tokenMAC    = 16 // bytes: 128 unguessable bits
	tokenSize   = 8 + 8 + tokenMAC
)

// SignToken makes the token for the attempt of task id at epoch.
func SignToken(secret []byte, id, epoch int64) string {
	b := make([]byte, 16, tokenSize)
	binary.BigEndian.PutUint64(b, uint64(id))
	binary.BigEndian.PutUint64(b[8:], uint64(epoch))
	b = append(b, tokenSum(secret, b)...)
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(b)
}

// OpenToken reads a token and checks it in constant time. What is not shaped
// like a token is invalid; one that this store did not sign is lease_lost.
func OpenToken(secret []byte, token string) (id, epoch int64, err error) {
	const size = len(tokenPrefix) + (tokenSize*8+5)/6
	if len(token) != size || token[:len(tokenPrefix)] != tokenPrefix {
		return 0, 0, invalidField("lease_token", "malformed", "is not a lease token").
			WithHint("send the lease_token from the claim's answer, unchanged")
	}
	b, err := base64.RawURLEncoding.DecodeString(token[len(tokenPrefix):])
	if err != nil {
		return 0, 0, invalidField("lease_token", "malformed", "is not a lease token")
	}
	if !hmac.Equal(b[16:], tokenSum(secret, b[:16])) {
		return 0, 0, Errorf(CodeLeaseLost, "lease no longer held").
			WithHint("the token is not one of this store's; claim the task again")
	}
	return int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:])), nil
}

func tokenSum(secret, b []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write(b)
	return h.Sum(nil)[:tokenMAC]
}
