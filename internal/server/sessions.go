package server

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Where sessions are kept: in memory and, so that they outlive the hub, in a
// file. What is kept of one is the sum of its cookie, its end, and its token
// sealed with the cookie: who reads the file or a backup of it gets nothing, and
// a session that was ended is gone from it.

// maxSessionFile is how much of the file is read, in bytes.
const maxSessionFile = maxSessions * 512

type sessions struct {
	mu   sync.Mutex
	path string // "" to keep them in memory alone
	open map[string]session
}

// session is one, under the sum of its cookie.
type session struct {
	Token []byte    `json:"token"` // sealed
	Until time.Time `json:"until"`
}

// begin opens a session for a token and answers its cookie, which is good for
// this hub even when it could not be written down.
func (s *sessions) begin(secret string, until time.Time) (cookie string, err error) {
	cookie = strings.ToLower(rand.Text())
	seal := sealWith(cookie)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]session{}
	}
	dropOver(s.open, maxSessions, func(o session) bool { return time.Now().After(o.Until) })
	s.open[nameOf(cookie)] = session{seal.Seal(nil, nil, []byte(secret), nil), until}
	return cookie, s.write()
}

// secretOf answers the secret behind a cookie, "" for none.
func (s *sessions) secretOf(cookie string, now time.Time) string {
	if cookie == "" {
		return ""
	}
	s.mu.Lock()
	o, ok := s.open[nameOf(cookie)]
	s.mu.Unlock()
	if !ok || now.After(o.Until) {
		return ""
	}
	secret, err := sealWith(cookie).Open(nil, nil, o.Token, nil)
	if err != nil { // somebody changed the file
		return ""
	}
	return string(secret)
}

func (s *sessions) end(cookie string) error {
	name := nameOf(cookie)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.open[name]; !ok {
		return nil
	}
	delete(s.open, name)
	return s.write()
}

// keep takes over what is in the file. One that cannot be read counts as empty;
// where nothing can be written, sessions stay in memory.
func (s *sessions) keep(path string, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, readErr := readSessions(path)
	maps.DeleteFunc(kept, func(_ string, o session) bool { return now.After(o.Until) })
	s.path, s.open = path, kept
	err := s.write()
	if err != nil {
		s.path, s.open = "", nil
	}
	return errors.Join(readErr, err)
}

func readSessions(path string) (map[string]session, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]session{}, nil
	}
	if err != nil {
		return map[string]session{}, fmt.Errorf("open the file of sessions: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	var kept map[string]session
	if err := json.NewDecoder(io.LimitReader(f, maxSessionFile)).Decode(&kept); err != nil {
		return map[string]session{}, fmt.Errorf("read sessions from %s: %w", path, err)
	}
	if kept == nil {
		kept = map[string]session{}
	}
	return kept, nil
}

// write makes the file anew, whole or not at all, and has it on the disk before
// it answers: an end that was told must hold.
func (s *sessions) write() (err error) {
	if s.path == "" {
		return nil
	}
	text, err := json.Marshal(s.open)
	if err != nil {
		return fmt.Errorf("write sessions: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), ".sessions-*") // 0600
	if err != nil {
		return fmt.Errorf("write sessions: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // what is half written helps nobody
		}
	}()
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write sessions: %w", err)
	}
	return os.Rename(f.Name(), s.path)
}

// nameOf is how a session is found without its cookie being kept.
func nameOf(cookie string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte("tq session name "+cookie)))
}

// sealWith answers the seal of a cookie, which has 130 random bits.
func sealWith(cookie string) cipher.AEAD {
	key := sha256.Sum256([]byte("tq session key " + cookie))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // not with a key of 32 bytes
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // not with AES
	}
	return seal
}

// codes are for the printed link; they end with the hub.
type codes struct {
	mu   sync.Mutex
	open map[string]pass
}

// pass stands for a token for a while.
type pass struct {
	secret string
	until  time.Time
}

func (c *codes) add(secret string, now time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]pass{}
	}
	dropOver(c.open, maxCodes, func(p pass) bool { return now.After(p.until) })
	code := strings.ToLower(rand.Text())
	c.open[code] = pass{secret, now.Add(codeFor)}
	return code
}

// spend answers the secret behind a code, which is good for nothing after that.
func (c *codes) spend(code string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.open[code]
	delete(c.open, code)
	if !ok || time.Now().After(p.until) {
		return ""
	}
	return p.secret
}

// dropOver makes room in m for one more: those that are over go, and any others
// while there are limit.
func dropOver[V any](m map[string]V, limit int, over func(V) bool) {
	for name, v := range m {
		if over(v) || len(m) >= limit {
			delete(m, name)
		}
	}
}
