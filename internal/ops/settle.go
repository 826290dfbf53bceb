package ops

import (
	"context"

	"example.com/tq"
)

// Settling: one lease as the fields themselves, or many in leases. A refused
// row of many stands in its row; the refusal of the only one is that of the
// call. complete and fail may carry the next claim.

// CompleteIn reports the result of one attempt, or of many.
type CompleteIn struct {
	tq.CompleteLease
	Leases []tq.CompleteLease `json:"leases,omitempty"`
	Claim  *tq.ClaimIn        `json:"claim,omitempty"`
}

// FailIn reports one failed attempt, or many.
type FailIn struct {
	tq.FailLease
	Leases []tq.FailLease `json:"leases,omitempty"`
	Claim  *tq.ClaimIn    `json:"claim,omitempty"`
}

// ReleaseIn gives one task back, or many.
type ReleaseIn struct {
	tq.ReleaseLease
	Leases []tq.ReleaseLease `json:"leases,omitempty"`
}

// ExtendIn renews one lease, or many.
type ExtendIn struct {
	tq.ExtendLease
	Leases []tq.ExtendLease `json:"leases,omitempty"`
	Worker tq.WorkerInfo    `json:"worker,omitzero"`
}

// SettleOut is the answer for the one lease, or for many in Leases, and what
// the next claim got.
type SettleOut struct {
	tq.Settlement
	Leases  []tq.Settlement `json:"leases,omitempty"`
	Claimed *tq.ClaimOut    `json:"claimed,omitempty"`
}

func (in CompleteIn) many() bool { return in.Leases != nil }
func (in FailIn) many() bool     { return in.Leases != nil }
func (in ReleaseIn) many() bool  { return in.Leases != nil }
func (in ExtendIn) many() bool   { return in.Leases != nil }

func complete(ctx context.Context, c tq.Client, in CompleteIn) (SettleOut, error) {
	rows, one, err := oneOrMany(in.CompleteLease, in.LeaseToken, in.Leases)
	if err != nil {
		return SettleOut{}, err
	}
	out, err := c.Complete(ctx, tq.CompleteIn{Leases: rows})
	return claimNext(ctx, c, one, out, err, in.Claim)
}

func fail(ctx context.Context, c tq.Client, in FailIn) (SettleOut, error) {
	rows, one, err := oneOrMany(in.FailLease, in.LeaseToken, in.Leases)
	if err != nil {
		return SettleOut{}, err
	}
	out, err := c.Fail(ctx, tq.FailIn{Leases: rows})
	return claimNext(ctx, c, one, out, err, in.Claim)
}

func release(ctx context.Context, c tq.Client, in ReleaseIn) (SettleOut, error) {
	rows, one, err := oneOrMany(in.ReleaseLease, in.LeaseToken, in.Leases)
	if err != nil {
		return SettleOut{}, err
	}
	out, err := c.Release(ctx, tq.ReleaseIn{Leases: rows})
	return settled(one, out, err)
}

func extend(ctx context.Context, c tq.Client, in ExtendIn) (SettleOut, error) {
	if in.LeaseToken == "" && in.Leases == nil && in.Worker.ID != "" {
		out, err := c.Extend(ctx, tq.ExtendIn{Worker: in.Worker})
		return settled(false, out, err)
	}
	rows, one, err := oneOrMany(in.ExtendLease, in.LeaseToken, in.Leases)
	if err != nil {
		return SettleOut{}, err
	}
	out, err := c.Extend(ctx, tq.ExtendIn{Leases: rows, Worker: in.Worker})
	return settled(one, out, err)
}

func oneOrMany[L any](row L, token string, many []L) (rows []L, one bool, err error) {
	switch {
	case many == nil:
		return []L{row}, true, nil
	case token != "":
		return nil, false, refusal("leases", "conflict_fields", "give lease_token or leases, not both")
	}
	return many, false, nil
}

func settled(one bool, out tq.SettleOut, err error) (SettleOut, error) {
	if err != nil || !one {
		return SettleOut{Leases: out.Leases}, err
	}
	row, err := only("settle", out.Leases)
	if err == nil && row.Error != nil {
		return SettleOut{}, row.Error
	}
	return SettleOut{Settlement: row}, err
}

// claimNext takes the next tasks when what was asked before went through. A
// claim that is refused then must not hide what was settled, so its limits are
// the caller's to keep: the settlement stands and may be repeated.
func claimNext(ctx context.Context, c tq.Client, one bool, s tq.SettleOut, err error, in *tq.ClaimIn) (SettleOut, error) {
	out, err := settled(one, s, err)
	if err != nil || in == nil {
		return out, err
	}
	claimed, err := c.Claim(ctx, *in)
	if err != nil {
		return SettleOut{}, err
	}
	noNulls(&claimed)
	out.Claimed = &claimed
	return out, nil
}

// undoClaim gives back what was claimed for somebody who has gone: nobody has
// worked on it, so no attempt is burnt.
func undoClaim(ctx context.Context, c tq.Client, out any) {
	claimed, ok := out.(tq.ClaimOut)
	if !ok || len(claimed.Tasks) == 0 {
		return
	}
	in := tq.ReleaseIn{Leases: make([]tq.ReleaseLease, len(claimed.Tasks))}
	for i, t := range claimed.Tasks {
		in.Leases[i] = tq.ReleaseLease{LeaseToken: t.LeaseToken, Unburnt: true, Reason: "the answer could not be delivered"}
	}
	_, _ = c.Release(ctx, in) // else the lease ends by itself
}

func undoSettle(ctx context.Context, c tq.Client, out any) {
	if s, ok := out.(SettleOut); ok && s.Claimed != nil {
		undoClaim(ctx, c, *s.Claimed)
	}
}
