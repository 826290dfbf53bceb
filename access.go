package tq

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"time"
)

// Access tokens: who a caller over the network is, and what it may do. A store
// keeps their hashes, so neither it nor a copy of it lets anybody in.

// Token is an access token as the store keeps it.
type Token struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"` // acts in facts
	Rights             // what it allows
	CreatedAt Time     `json:"created_at"`
	CreatedBy string   `json:"created_by,omitempty"`
	ExpiresAt Time     `json:"expires_at,omitzero"` // zero: never
	UsedAt    Time     `json:"used_at,omitzero"`    // to the minute
	Hash      [32]byte `json:"-"`                   // SHA-256 of the secret
}

// TokenChange is one administrative act on access tokens, or the note of their
// use. The parts that are given are done in one transaction.
type TokenChange struct {
	Put    *Token // is written, under an id that was never used
	End    string // the id of one that ends at EndAt, if it does not before
	EndAt  Time
	Drop   string // the id of one that is taken out
	Used   string // the id of one that was used at UsedAt; no act
	UsedAt Time
	Act    Kind // kept in the journal unless it is ""
	Actor  string
	Note   string
}

// secretParts: a secret is tq_<id>_<32 random bytes>.
const (
	secretPrefix = "tq_"
	secretBytes  = 32
	tokenIDSize  = 10
	usedEvery    = time.Minute
)

// newSecret makes the id and the secret of a token.
func newSecret() (id, secret string) {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	id = strings.ToLower(rand.Text()[:tokenIDSize])
	return id, secretPrefix + id + "_" + base64.RawURLEncoding.EncodeToString(b)
}

// secretID reads the id out of a secret, "" if it is not shaped like one.
func secretID(secret string) string {
	rest, ours := strings.CutPrefix(secret, secretPrefix)
	id, random, whole := strings.Cut(rest, "_")
	if !ours || !whole || len(id) != tokenIDSize || len(random) != base64.RawURLEncoding.EncodedLen(secretBytes) {
		return ""
	}
	return id
}

// CreateToken implements Client. Nobody hands on more than he has.
func (b *Broker) CreateToken(ctx context.Context, in CreateTokenIn) (CreateTokenOut, error) {
	rights := Rights{Can: in.Can, Queues: in.Queues, Types: in.Types, MaxOpen: in.MaxOpen}
	if len(rights.Types) == 0 {
		rights.Types = []string{Any}
	}
	if err := b.may(CanAdmin); err != nil {
		return CreateTokenOut{}, err
	}
	for _, err := range []*Error{
		checkName("name", in.Name, MaxKey),
		rights.Check(),
		checkDuration("expires_seconds", in.Expires, 0, MaxExpiry),
	} {
		if err != nil {
			return CreateTokenOut{}, err
		}
	}
	if b.only != nil && !b.only.Covers(&rights) {
		return CreateTokenOut{}, Errorf(CodeForbidden, "%s may not hand on more than it may do itself", b.actor).
			WithHint("leave out scopes, queues or types; tq token list shows what there is")
	}
	return b.putToken(ctx, in.Name, rights, in.Expires, TokenChange{Act: ActTokenCreated})
}

// putToken makes a token and writes it as part of a change.
func (b *Broker) putToken(ctx context.Context, name string, r Rights, expires Duration, c TokenChange) (CreateTokenOut, error) {
	all, err := b.store.Tokens(ctx)
	if err != nil {
		return CreateTokenOut{}, err
	}
	if len(all) >= MaxTokens {
		return CreateTokenOut{}, Errorf(CodeTooMany, "there are %d tokens, the limit is %d", len(all), MaxTokens).
			WithHint("take out those that have ended: tq token revoke ID")
	}
	now := At(b.info.Now())
	id, secret := newSecret()
	t := Token{ID: id, Name: name, Rights: r, CreatedAt: now, CreatedBy: b.actor, Hash: sha256.Sum256([]byte(secret))}
	if expires > 0 {
		t.ExpiresAt = At(now.Add(expires.Std()))
	}
	c.Put, c.Actor = &t, b.actor
	c.Note = cmp.Or(c.Note, id+" "+name)
	if err := b.setToken(ctx, c); err != nil {
		return CreateTokenOut{}, err
	}
	return CreateTokenOut{Token: t, Secret: secret}, nil
}

func (b *Broker) setToken(ctx context.Context, c TokenChange) error {
	err := b.store.SetToken(ctx, c)
	b.doorman.forget()
	return err
}

// Tokens implements Client: those that allow no more than the caller may do.
func (b *Broker) Tokens(ctx context.Context, _ TokensIn) (TokensOut, error) {
	if err := b.may(CanAdmin); err != nil {
		return TokensOut{}, err
	}
	all, err := b.store.Tokens(ctx)
	if err != nil {
		return TokensOut{}, err
	}
	out := TokensOut{Tokens: []Token{}}
	for _, t := range all {
		if b.only == nil || b.only.Covers(&t.Rights) {
			out.Tokens = append(out.Tokens, t)
		}
	}
	slices.SortStableFunc(out.Tokens, func(x, y Token) int { return cmp.Compare(x.Name, y.Name) })
	return out, nil
}

// RevokeToken implements Client.
func (b *Broker) RevokeToken(ctx context.Context, in RevokeTokenIn) (RevokeTokenOut, error) {
	t, err := b.token(ctx, in.ID)
	if err != nil {
		return RevokeTokenOut{}, err
	}
	c := TokenChange{Drop: t.ID, Act: ActTokenRevoked, Actor: b.actor, Note: t.ID + " " + t.Name}
	return RevokeTokenOut{}, b.setToken(ctx, c)
}

// RotateToken implements Client: a new token takes the place of an old one,
// which is good for a while longer so that nobody stands outside meanwhile.
func (b *Broker) RotateToken(ctx context.Context, in RotateTokenIn) (CreateTokenOut, error) {
	for _, err := range []*Error{
		checkDuration("overlap_seconds", in.Overlap, 0, MaxExpiry),
		checkDuration("expires_seconds", in.Expires, 0, MaxExpiry),
	} {
		if err != nil {
			return CreateTokenOut{}, err
		}
	}
	t, err := b.token(ctx, in.ID)
	if err != nil {
		return CreateTokenOut{}, err
	}
	expires := in.Expires
	if expires == 0 && !t.ExpiresAt.IsZero() {
		expires = Duration(t.ExpiresAt.Sub(t.CreatedAt.Time))
	}
	return b.putToken(ctx, t.Name, t.Rights, expires, TokenChange{
		End: t.ID, EndAt: At(b.info.Now().Add(in.Overlap.Std())), Act: ActTokenRotated, Note: t.ID + " " + t.Name,
	})
}

// token finds one that the caller may change.
func (b *Broker) token(ctx context.Context, id string) (Token, error) {
	out, err := b.Tokens(ctx, TokensIn{})
	if err != nil {
		return Token{}, err
	}
	for _, t := range out.Tokens {
		if t.ID == id {
			return t, nil
		}
	}
	return Token{}, Errorf(CodeNotFound, "no token %s", quote(id)).WithHint("see what there is: tq token list")
}

// Admit answers the Broker for the bearer of a secret, with the rights of its
// token, and the token itself. Whatever is wrong with a secret, the refusal is
// the same. A token that was revoked elsewhere is refused within a second.
func (b *Broker) Admit(ctx context.Context, secret string) (*Broker, Token, error) {
	t, err := b.doorman.find(ctx, b, secretID(secret))
	if err != nil {
		return nil, Token{}, err
	}
	sum := sha256.Sum256([]byte(secret))
	good := subtle.ConstantTimeCompare(sum[:], t.Hash[:]) == 1
	if now := b.info.Now(); t.ID == "" || !good || !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt.Time) {
		return nil, Token{}, Errorf(CodeUnauthenticated, "the token is not valid").
			WithHint("make one on the machine of the hub: tq token create --name NAME --queue '*' --can read")
	}
	if b.doorman.use(t.ID, b.info.Now()) {
		c := TokenChange{Used: t.ID, UsedAt: At(b.info.Now())}
		if err := b.store.SetToken(context.WithoutCancel(ctx), c); err != nil {
			b.log.Warn("note the use of a token", "token", t.ID, "error", err)
		}
	}
	return b.For(t.Rights, t.Name), t, nil
}

// doorman remembers the tokens for a moment, so that a call costs no read.
type doorman struct {
	mu     sync.Mutex
	tokens map[string]Token
	until  time.Time            // when to read them again
	used   map[string]time.Time // as written down
}

const rememberTokens = time.Second

// find answers the token with that id, the zero Token if there is none.
func (d *doorman) find(ctx context.Context, b *Broker, id string) (Token, error) {
	if id == "" {
		return Token{}, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); d.tokens == nil || now.After(d.until) {
		all, err := b.store.Tokens(ctx)
		if err != nil {
			return Token{}, err
		}
		d.tokens, d.until = make(map[string]Token, len(all)), now.Add(rememberTokens)
		for _, t := range all {
			d.tokens[t.ID] = t
		}
	}
	return d.tokens[id], nil
}

func (d *doorman) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tokens = nil
}

// use reports whether the use of a token is to be written down now.
func (d *doorman) use(id string, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.used == nil || len(d.used) > 2*MaxTokens {
		d.used = map[string]time.Time{}
	}
	last := cmp.Or(d.used[id], d.tokens[id].UsedAt.Time)
	if now.Sub(last) < usedEvery && !now.Before(last) {
		return false
	}
	d.used[id] = now
	return true
}

// LocalToken lets the bearer of a secret that somebody keeps on the machine of
// the store do everything, under that name. It answers the secret: the same
// one, or a new one if that is none. What it writes is a fact.
func (b *Broker) LocalToken(ctx context.Context, secret, name string) (string, error) {
	if err := b.may(CanAdmin); err != nil {
		return "", err
	}
	if _, _, err := b.Admit(ctx, secret); CodeOf(err) != CodeUnauthenticated {
		return secret, err
	}
	id := secretID(secret)
	known, err := b.doorman.find(ctx, b, id)
	if err != nil {
		return "", err
	}
	if id == "" || known.ID != "" { // rubbish, or expired here
		id, secret = newSecret()
	}
	t := Token{
		ID: id, Name: name, Rights: EveryRight(), CreatedAt: At(b.info.Now()), CreatedBy: b.actor,
		Hash: sha256.Sum256([]byte(secret)),
	}
	c := TokenChange{Put: &t, Act: ActTokenCreated, Actor: b.actor, Note: id + " " + name}
	return secret, b.setToken(ctx, c)
}
