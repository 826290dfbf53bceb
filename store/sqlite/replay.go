package sqlite

import (
	"cmp"
	"slices"

	"example.com/tq"
)

const (
	selectClaimGrants = `select id, until from grants where claim_id = ? order by id`
	// When the attempt that is running now was claimed.
	selectClaimedSeq = `select seq from facts where task_id = ? and kind = ? order by rev desc limit 1`
)

// replay answers a claim that was made before with those of its tasks that are
// still held, as they were answered the first time (spec S14).
func (n *turn) replay(q *tq.ClaimQuery, out *tq.Claims) error {
	rows := n.c.sql(selectClaimGrants).text(q.ClaimID)
	var grants []grant
	for rows.next() {
		grants = append(grants, grant{id: rows.colInt(0), until: rows.colInt(1)})
	}
	if err := rows.end(); err != nil {
		return err
	}
	type answer struct {
		seq     int64
		claimed tq.Claimed
	}
	var all []answer
	for i := range grants {
		held, err := n.heldBy(grants[i].id)
		if err != nil {
			return err
		}
		for _, t := range held {
			seq, err := n.number(n.c.sql(selectClaimedSeq).int(t.id).int(kindCode(tq.FactClaimed)))
			if err != nil {
				return err
			}
			claimed, err := n.view(t.id, msDuration(max(0, grants[i].until-n.now)))
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
