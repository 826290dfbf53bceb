package storetest

import (
	"slices"
	"strings"
	"time"

	"example.com/tq"
)

// Access tokens: what a store keeps of them, and who gets in.

func tokenPromises() []promise {
	return []promise{
		{"S03 the bearer of a token may do what it allows, under its name", tokenAdmits},
		{"S03 a secret that is wrong, revoked or expired lets nobody in", tokenRefused},
		{"S03 a rotated token is good for the overlap, its successor at once", tokenRotated},
		{"S03 nobody hands on more than he may do", tokenCovered},
		{"S03 a token lets in no more open tasks than it allows", tokenMaxOpen},
		{"S03 the use of a token is noted to the minute", tokenUsed},
		{"S34 acts on tokens are in the journal, and no secret is", tokenFacts},
	}
}

// keeper is a Broker, which knows who comes in.
func (q *Queue) keeper() *tq.Broker { return tq.New(q.Store, tq.Options{Actor: "root"}) }

func (q *Queue) newToken(in tq.CreateTokenIn) tq.CreateTokenOut {
	q.t.Helper()
	out, err := q.keeper().CreateToken(q.ctx(), in)
	q.must("create a token", err)
	return out
}

func sam(can ...tq.Scope) tq.CreateTokenIn {
	return tq.CreateTokenIn{Name: "sam", Can: can, Queues: []string{"own:*"}}
}

func tokenAdmits(q *Queue) {
	made := q.newToken(sam(tq.CanEnqueue, tq.CanRead))
	same(q, "types", made.Types, []string{tq.Any})
	client, token, err := q.keeper().Admit(q.ctx(), made.Secret)
	q.must("admit", err)
	same(q, "name", token.Name, "sam")
	same(q, "by", token.CreatedBy, "root")
	out, err := client.Enqueue(q.ctx(), tq.EnqueueIn{Tasks: []tq.NewTask{{Queue: "own:x", Type: "work"}}})
	q.must("enqueue", err)
	facts, err := client.Facts(q.ctx(), tq.FactsIn{TaskID: out.Tasks[0].ID})
	q.must("facts", err)
	same(q, "actor", facts.Facts[0].Actor, "sam")
	_, err = client.Claim(q.ctx(), tq.ClaimIn{})
	q.refused("claim", err, tq.CodeForbidden)
}

func tokenRefused(q *Queue) {
	keeper := q.keeper()
	short := sam(tq.CanRead)
	short.Expires = tq.Duration(time.Minute)
	made, other, brief := q.newToken(sam(tq.CanRead)), q.newToken(sam(tq.CanRead)), q.newToken(short)
	end := len(made.Secret) - 4
	for name, secret := range map[string]string{
		"none": "", "rubbish": "rubbish", "an id alone": "tq_" + made.ID + "_", "cut": made.Secret[:end],
		"longer": made.Secret + "A", "another's": made.Secret[:14] + other.Secret[14:],
		"changed": made.Secret[:end] + strings.Repeat("_", 4), "a lease token": tq.SignToken(q.Store.Info().Secret, 1, 1),
	} {
		_, _, err := keeper.Admit(q.ctx(), secret)
		e := q.refused(name, err, tq.CodeUnauthenticated)
		same(q, name, e.Message, "the token is not valid")
	}
	_, _, err := keeper.Admit(q.ctx(), brief.Secret)
	q.must("admit before it expires", err)
	q.pass(time.Minute)
	_, _, err = keeper.Admit(q.ctx(), brief.Secret)
	q.refused("expired", err, tq.CodeUnauthenticated)
	_, err = keeper.RevokeToken(q.ctx(), tq.RevokeTokenIn{ID: made.ID})
	q.must("revoke", err)
	_, _, err = keeper.Admit(q.ctx(), made.Secret)
	q.refused("revoked", err, tq.CodeUnauthenticated)
	_, err = keeper.RevokeToken(q.ctx(), tq.RevokeTokenIn{ID: made.ID})
	q.refused("revoke again", err, tq.CodeNotFound)
	_, _, err = keeper.Admit(q.ctx(), other.Secret)
	q.must("admit another", err)
}

func tokenRotated(q *Queue) {
	keeper := q.keeper()
	in := sam(tq.CanRead)
	in.Expires = tq.Duration(time.Hour)
	old := q.newToken(in)
	fresh, err := keeper.RotateToken(q.ctx(), tq.RotateTokenIn{ID: old.ID, Overlap: tq.Duration(time.Minute)})
	q.must("rotate", err)
	same(q, "rights", fresh.Rights, old.Rights)
	same(q, "expiry", fresh.ExpiresAt.Sub(fresh.CreatedAt.Time), time.Hour)
	for _, secret := range []string{old.Secret, fresh.Secret} {
		_, _, err := keeper.Admit(q.ctx(), secret)
		q.must("admit both", err)
	}
	q.pass(time.Minute)
	_, _, err = keeper.Admit(q.ctx(), old.Secret)
	q.refused("the old one", err, tq.CodeUnauthenticated)
	_, _, err = keeper.Admit(q.ctx(), fresh.Secret)
	q.must("admit the new one", err)
}

func tokenCovered(q *Queue) {
	root := q.newToken(tq.CreateTokenIn{Name: "root", Can: tq.Scopes(), Queues: []string{"*"}, Types: []string{"*", "sh"}})
	in := sam(tq.CanAdmin, tq.CanRead)
	in.Types, in.MaxOpen = []string{"*", "sh"}, 3
	admin, _, err := q.keeper().Admit(q.ctx(), q.newToken(in).Secret)
	q.must("admit", err)
	for name, in := range map[string]tq.CreateTokenIn{
		"another scope": {Can: []tq.Scope{tq.CanEnqueue}, Queues: []string{"own:x"}},
		"a wider queue": {Can: []tq.Scope{tq.CanRead}, Queues: []string{"own*"}},
		"more open":     {Can: []tq.Scope{tq.CanRead}, Queues: []string{"own:x"}, MaxOpen: 4},
		"no limit":      {Can: []tq.Scope{tq.CanRead}, Queues: []string{"own:x"}},
		"another type":  {Can: []tq.Scope{tq.CanRead}, Queues: []string{"own:x"}, Types: []string{"agent"}},
	} {
		in.Name = "eve"
		_, err := admin.CreateToken(q.ctx(), in)
		q.refused(name, err, tq.CodeForbidden)
	}
	_, err = admin.CreateToken(q.ctx(), tq.CreateTokenIn{Name: "less", Can: []tq.Scope{tq.CanRead}, Queues: []string{"own:x*"}, Types: []string{"sh"}, MaxOpen: 3})
	q.must("hand on less", err)
	_, err = admin.RevokeToken(q.ctx(), tq.RevokeTokenIn{ID: root.ID})
	q.refused("revoke what allows more", err, tq.CodeNotFound)
	_, err = admin.RotateToken(q.ctx(), tq.RotateTokenIn{ID: root.ID})
	q.refused("rotate what allows more", err, tq.CodeNotFound)
	out, err := admin.Tokens(q.ctx(), tq.TokensIn{})
	q.must("list", err)
	var names []string
	for _, t := range out.Tokens {
		names = append(names, t.Name)
	}
	same(q, "listed", names, []string{"less", "sam"})
}

// tokenMaxOpen: what counts is what has not ended in the token's queues, whoever
// put it there.
func tokenMaxOpen(q *Queue) {
	in := sam(tq.CanEnqueue, tq.CanRead)
	in.MaxOpen = 3
	made := q.newToken(in)
	same(q, "limit", made.MaxOpen, 3)
	keeper := q.keeper()
	client, _, err := keeper.Admit(q.ctx(), made.Secret)
	q.must("admit", err)
	enqueue := func(n int) error {
		_, err := client.Enqueue(q.ctx(), tq.EnqueueIn{Tasks: slices.Repeat([]tq.NewTask{{Queue: "own:x", Type: "work"}}, n)})
		return err
	}
	q.enqueue(tq.NewTask{Queue: "own:y", Type: "work", Delay: tq.Duration(time.Hour)})
	q.enqueue(tq.NewTask{Queue: "elsewhere", Type: "work"})
	e := q.refused("three more", enqueue(3), tq.CodeTooMany)
	same(q, "detail", e.Message, "it would be 4 open tasks, the limit of this token is 3")
	same(q, "asks to try again", e.RetryAfter > 0 && e.Hint != "", true)
	q.must("two more", enqueue(2))
	q.refused("one more", enqueue(1), tq.CodeTooMany)
	same(q, "open", len(q.list(tq.TasksIn{Queue: "own:x"})), 2)
	q.complete(q.claimSome(tq.ClaimIn{Queues: []string{"own:x"}, Max: 1})[0], `1`)
	q.pass(time.Second)
	q.must("one more when one has ended", enqueue(1))
	q.refused("and another", enqueue(1), tq.CodeTooMany)
	_, err = keeper.Enqueue(q.ctx(), tq.EnqueueIn{Tasks: []tq.NewTask{{Queue: "own:x", Type: "work"}}})
	q.must("somebody without a limit", err)
	in.MaxOpen = tq.MaxOpen + 1
	_, err = keeper.CreateToken(q.ctx(), in)
	q.refused("no such limit", err, tq.CodeInvalid)
}

func tokenUsed(q *Queue) {
	keeper := q.keeper()
	made := q.newToken(sam(tq.CanRead))
	used := func() tq.Time {
		all, err := q.Store.Tokens(q.ctx())
		q.must("tokens", err)
		return all[slices.IndexFunc(all, func(t tq.Token) bool { return t.ID == made.ID })].UsedAt
	}
	same(q, "before", used().IsZero(), true)
	for _, wait := range []time.Duration{0, 59 * time.Second, time.Second} {
		q.pass(wait)
		_, _, err := keeper.Admit(q.ctx(), made.Secret)
		q.must("admit", err)
		same(q, "used within the minute", q.Clock.Now().Sub(used().Time) < time.Minute, true)
	}
	same(q, "used last", used().Equal(q.Clock.Now()), true)
}

func tokenFacts(q *Queue) {
	keeper := q.keeper()
	made := q.newToken(sam(tq.CanRead))
	next, err := keeper.RotateToken(q.ctx(), tq.RotateTokenIn{ID: made.ID})
	q.must("rotate", err)
	_, err = keeper.RevokeToken(q.ctx(), tq.RevokeTokenIn{ID: next.ID})
	q.must("revoke", err)
	_, _, err = keeper.Admit(q.ctx(), next.Secret)
	q.refused("admit", err, tq.CodeUnauthenticated)
	out, err := keeper.Facts(q.ctx(), tq.FactsIn{})
	q.must("facts", err)
	var told []string
	for _, f := range out.Facts {
		told = append(told, string(f.Kind)+" by "+f.Actor+": "+f.Detail.Note)
		for _, secret := range []string{made.Secret, next.Secret} {
			if strings.Contains(f.Detail.Note, secret[15:]) {
				q.t.Errorf("fact %d tells the secret", f.Seq)
			}
		}
	}
	same(q, "acts", told, []string{
		"token.created by root: " + made.ID + " sam", "token.rotated by root: " + made.ID + " sam", "token.revoked by root: " + next.ID + " sam",
	})
	seen, err := q.caller(tq.CanRead).Facts(q.ctx(), tq.FactsIn{})
	q.must("facts of a narrow caller", err)
	same(q, "acts that a narrow caller sees", len(seen.Facts), 0)
}
