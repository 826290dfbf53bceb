package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"example.com/tq"
)

// The journal as readers see it: facts about tasks and acts without a task, in
// one order. One writer gives out seqs and commits in their order, so a reader
// that goes on behind the last seq it saw misses none and sees none twice.

const (
	// The columns that factOf reads.
	factColumns = `seq, task_id, rev, lane, kind, status, settles, epoch, attempt, actor, at, detail`
	// ?2 and ?3 are JSON arrays, or null for any lane or kind.
	factRows = `select ` + factColumns + ` from facts
		where seq > ?1 and (?2 is null or lane in (select value from json_each(?2)))
			and (?3 is null or kind in (select value from json_each(?3)))`

	selectFacts     = factRows + ` order by seq limit ?4`
	selectLastFacts = factRows + ` order by seq desc limit ?4`
	// Of one task the order of rev is that of seq.
	selectTaskFacts     = factRows + ` and task_id = ?5 order by rev limit ?4`
	selectLastTaskFacts = factRows + ` and task_id = ?5 order by rev desc limit ?4`

	// ?5 is a JSON array of patterns; an act without a queue fits none of them.
	actRows = `select seq, kind, queue, actor, at, detail from acts
		where seq > ?1 and (?2 is null or queue = ?2) and (?3 is null or kind in (select value from json_each(?3)))
			and (?5 is null or queue <> '' and exists (select 1 from json_each(?5) where acts.queue glob value))`

	selectActs     = actRows + ` order by seq limit ?4`
	selectLastActs = actRows + ` order by seq desc limit ?4`
)

// Facts reads the journal in the order of Seq.
func (s *Store) Facts(ctx context.Context, q tq.FactQuery) ([]tq.Fact, error) {
	q.Limit = min(cmp.Or(max(0, q.Limit), tq.DefaultPage), tq.MaxPage)
	var out []tq.Fact
	err := s.read(ctx, func(c *conn) error {
		j := journal{c: c, lanes: s.lanes, q: &q}
		facts, err := j.facts()
		if err != nil {
			return err
		}
		acts, err := j.acts()
		out = j.merged(facts, acts)
		return err
	})
	return out, err
}

// journal is one FactQuery being answered.
type journal struct {
	c     *conn
	lanes *lanes
	q     *tq.FactQuery
}

func (j *journal) facts() ([]tq.Fact, error) {
	lanes, err := j.laneList()
	if err != nil {
		return nil, err
	}
	q := j.c.sql(j.factText()).int(j.q.After).textOrNull(lanes).textOrNull(kindList(j.q.Kinds)).int(int64(j.q.Limit))
	if j.q.TaskID != 0 {
		q.int(j.q.TaskID)
	}
	var out []tq.Fact
	for q.next() {
		f, err := factOf(j.c, j.lanes, q)
		if err != nil {
			return nil, join(err, q.end())
		}
		out = append(out, f)
	}
	return out, q.end()
}

func (j *journal) factText() string {
	switch {
	case j.q.TaskID != 0 && j.q.Last:
		return selectLastTaskFacts
	case j.q.TaskID != 0:
		return selectTaskFacts
	case j.q.Last:
		return selectLastFacts
	}
	return selectFacts
}

// laneList is the lanes asked for as JSON, "" for all of them.
func (j *journal) laneList() (string, error) {
	if j.q.Queue == "" && j.q.Type == "" && j.q.Only.SeesAll() {
		return "", nil
	}
	in, err := j.lanes.all(j.c, func(n *lane) bool {
		return j.q.Only.Sees(n.queue, n.typ) && (j.q.Queue == "" || j.q.Queue == n.queue) && (j.q.Type == "" || j.q.Type == n.typ)
	})
	if err != nil {
		return "", err
	}
	ids := make([]int64, len(in))
	for i, n := range in {
		ids[i] = n.id
	}
	text, err := json.Marshal(ids)
	return string(text), err
}

func kindList(kinds []tq.Kind) string {
	if len(kinds) == 0 {
		return ""
	}
	codes := make([]int64, len(kinds))
	for i, k := range kinds {
		codes[i] = kindCode(k)
	}
	text, _ := json.Marshal(codes) // numbers can always be written
	return string(text)
}

// factOf reads a row of factColumns.
func factOf(c *conn, lanes *lanes, q *stmt) (tq.Fact, error) {
	f := tq.Fact{
		Seq: q.colInt(0), TaskID: q.colInt(1), Rev: q.colInt(2),
		Kind: kindOf(q.colInt(4)), Status: statusOf(q.colInt(5)), Settles: q.colBool(6),
		Epoch: q.colInt(7), Attempt: int(q.colInt(8)), Actor: q.colText(9), At: tq.FromMilli(q.colInt(10)),
	}
	if err := readJSON(q.colText(11), &f.Detail); err != nil {
		return f, err
	}
	n, err := lanes.get(c, q.colInt(3))
	if err == nil && n != nil {
		f.Queue, f.Type, f.Project = n.queue, n.typ, n.project
	}
	return f, err
}

// acts are none when facts of a task or a type are asked for.
func (j *journal) acts() ([]tq.Fact, error) {
	if j.q.TaskID != 0 || j.q.Type != "" {
		return nil, nil
	}
	kinds := ""
	if len(j.q.Kinds) > 0 {
		text, err := json.Marshal(j.q.Kinds)
		if err != nil {
			return nil, err
		}
		kinds = string(text)
	}
	patterns := ""
	if !j.q.Only.SeesAll() {
		text, err := json.Marshal(j.q.Only.Queues)
		if err != nil {
			return nil, err
		}
		patterns = string(text)
	}
	text := selectActs
	if j.q.Last {
		text = selectLastActs
	}
	q := j.c.sql(text).int(j.q.After).textOrNull(j.q.Queue).textOrNull(kinds).int(int64(j.q.Limit)).textOrNull(patterns)
	var out []tq.Fact
	for q.next() {
		f := tq.Fact{
			Seq: q.colInt(0), Kind: tq.Kind(q.colText(1)), Queue: q.colText(2),
			Actor: q.colText(3), At: tq.FromMilli(q.colInt(4)),
		}
		if err := readJSON(q.colText(5), &f.Detail); err != nil {
			return nil, join(err, q.end())
		}
		out = append(out, f)
	}
	return out, q.end()
}

// merged brings both into one order and keeps the first, or the last, Limit.
func (j *journal) merged(facts, acts []tq.Fact) []tq.Fact {
	all := slices.Concat(facts, acts)
	slices.SortFunc(all, func(a, b tq.Fact) int { return cmp.Compare(a.Seq, b.Seq) })
	switch over := len(all) - j.q.Limit; {
	case over <= 0:
		return all
	case j.q.Last:
		return all[over:]
	}
	return all[:j.q.Limit]
}
