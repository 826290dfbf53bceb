package sqlite

import (
	"cmp"
	"slices"

	"example.com/tq"
)

const (
	selectClaimGrants = `select id from grants where claim_id = ? order by id`
	// When the attempt that is running now was claimed.
	selectClaimedSeq = `select seq from facts where task_id = ? and kind = ? order by rev desc limit 1`
)

// replay answers a claim that was made before with those of its tasks that are
// still held, as they were answered the first time (spec S14).
func (n *turn) replay(q *tq.ClaimQuery, out *tq.Claims) error {
	ids, err := readIDs(n.c.sql(selectClaimGrants).text(q.ClaimID))
	if err != nil {
		return err
	}
	type answer struct {
		seq     int64
		claimed tq.Claimed
	}
	var all []answer
	for _, id := range ids {
		g, err := n.grant(id)
		if err != nil {
			return err
		}
		held, err := n.heldBy(id)
		if err != nil {
			return err
		}
		for _, t := range held {
			seq, err := n.number(n.c.sql(selectClaimedSeq).int(t.id).int(kindCode(tq.FactClaimed)))
			if err != nil {
				return err
			}
			claimed, err := n.view(t.id, g)
			if err != nil {
				return err
			}
			all = append(all, answer{seq, claimed})
		}
	}
	slices.SortFunc(all, func(a, b answer) int { return cmp.Compare(a.seq, b.seq) })
	for i := range all {
		out.Tasks = append(out.Tasks, all[i].claimed)
	}
	return nil
}
