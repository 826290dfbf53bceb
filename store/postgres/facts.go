package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"example.com/tq"
	"github.com/jackc/pgx/v5"
)

// The journal as readers see it: facts about tasks and acts without a task, in
// one order, as far as the floor. Of one task the order of rev is that of seq
// and of the commits, so its facts are read without it.

const (
	// The columns that scanFact reads.
	factShown = `seq, task_id, rev, lane, kind, status, settles, epoch, attempt, actor, at, coalesce(detail, '')`

	factRows = `select ` + factShown + ` from tq.facts where seq > $1 and seq <= $2
		and ($3::int[] is null or lane = any($3)) and ($4::smallint[] is null or kind = any($4))`
	selectFacts     = factRows + ` order by seq limit $5::bigint`
	selectLastFacts = factRows + ` order by seq desc limit $5::bigint`

	selectTaskFacts     = factRows + ` and task_id = $6 order by rev limit $5::bigint`
	selectLastTaskFacts = factRows + ` and task_id = $6 order by rev desc limit $5::bigint`

	actRows = `select seq, kind, queue, actor, at, coalesce(detail, '') from tq.acts where seq > $1 and seq <= $2
		and ($3 = '' or queue = $3) and ($4::text[] is null or kind = any($4))
		and ($6::text[] is null or queue <> '' and queue like any($6))`
	selectActs     = actRows + ` order by seq limit $5::bigint`
	selectLastActs = actRows + ` order by seq desc limit $5::bigint`

	noFloor = int64(1)<<62 - 1
)

// Facts reads the journal in the order of Seq.
func (s *Store) Facts(ctx context.Context, q tq.FactQuery) ([]tq.Fact, error) {
	q.Limit = min(cmp.Or(max(0, q.Limit), tq.DefaultPage), tq.MaxPage)
	j := journal{Store: s, ctx: ctx, q: &q, floor: noFloor}
	if q.TaskID == 0 {
		floor, err := s.floor(ctx, s.pool)
		if err != nil {
			return nil, fault("read the journal", err)
		}
		j.floor = floor
	}
	var out []tq.Fact
	err := s.read(ctx, func(tx pgx.Tx) error {
		if err := s.lanes.load(ctx, s, tx); err != nil {
			return err
		}
		facts, err := j.facts(tx)
		if err != nil {
			return err
		}
		acts, err := j.acts(tx)
		out = j.merged(facts, acts)
		return err
	})
	return out, err
}

// journal is one FactQuery being answered. The floor was read before the
// snapshot that the rows are read in: all up to it is in there.
type journal struct {
	*Store
	ctx   context.Context
	q     *tq.FactQuery
	floor int64
}

func (j *journal) facts(tx pgx.Tx) ([]tq.Fact, error) {
	args := []any{j.q.After, j.floor, j.lanesAsked(), kindsAsked(j.q.Kinds), j.q.Limit}
	if j.q.TaskID != 0 {
		args = append(args, j.q.TaskID)
	}
	rows, err := tx.Query(j.ctx, j.texts.of(j.statement()), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, j.scanFact)
}

func (j *journal) statement() string {
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

// lanesAsked is nil for all of them.
func (j *journal) lanesAsked() []int32 {
	if j.q.Queue == "" && j.q.Type == "" && j.q.Only.SeesAll() {
		return nil
	}
	ids := []int32{}
	for _, n := range j.lanes.all(func(n *lane) bool {
		return j.q.Only.Sees(n.name.queue, n.name.typ) && (j.q.Queue == "" || j.q.Queue == n.name.queue) && (j.q.Type == "" || j.q.Type == n.name.typ)
	}) {
		ids = append(ids, n.id)
	}
	return ids
}

func kindsAsked(kinds []tq.Kind) []int16 {
	var codes []int16
	for _, k := range kinds {
		codes = append(codes, kindCode(k))
	}
	return codes
}

func (s *Store) scanFact(rows pgx.CollectableRow) (tq.Fact, error) { return s.scanFactAnd(rows) }

// scanFactAnd reads the columns of factShown, and those behind them into more.
func (s *Store) scanFactAnd(rows pgx.CollectableRow, more ...any) (tq.Fact, error) {
	var f tq.Fact
	var laneID int32
	var kind, status, attempt int16
	var at int64
	var detail string
	err := rows.Scan(append([]any{
		&f.Seq, &f.TaskID, &f.Rev, &laneID, &kind, &status, &f.Settles, &f.Epoch, &attempt, &f.Actor, &at, &detail,
	}, more...)...)
	if err != nil {
		return f, err
	}
	f.Kind, f.Status, f.Attempt, f.At = kindOf(kind), statusOf(status), int(attempt), tq.FromMilli(at)
	if n := s.lanes.get(laneID); n != nil {
		f.Queue, f.Type, f.Project = n.name.queue, n.name.typ, n.name.project
	}
	return f, readJSON(detail, &f.Detail)
}

// acts are none when facts of a task or a type are asked for.
func (j *journal) acts(tx pgx.Tx) ([]tq.Fact, error) {
	if j.q.TaskID != 0 || j.q.Type != "" {
		return nil, nil
	}
	var kinds []string
	for _, k := range j.q.Kinds {
		kinds = append(kinds, string(k))
	}
	statement := selectActs
	if j.q.Last {
		statement = selectLastActs
	}
	rows, err := tx.Query(j.ctx, j.texts.of(statement), j.q.After, j.floor, j.q.Queue, kinds, j.q.Limit, patternsOf(j.q.Only))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(rows pgx.CollectableRow) (tq.Fact, error) {
		var f tq.Fact
		var at int64
		var detail string
		if err := rows.Scan(&f.Seq, &f.Kind, &f.Queue, &f.Actor, &at, &detail); err != nil {
			return f, err
		}
		f.At = tq.FromMilli(at)
		return f, readJSON(detail, &f.Detail)
	})
}

// patternsOf are the queues within those rights in the words of LIKE, nil for
// every act. One without a queue fits none.
func patternsOf(only *tq.Rights) []string {
	if only.SeesAll() {
		return nil
	}
	patterns := []string{}
	for _, queue := range only.Queues {
		patterns = append(patterns, strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`, tq.Any, `%`).Replace(queue))
	}
	return patterns
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
