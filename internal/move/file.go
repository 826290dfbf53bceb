package move

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"example.com/tq"
)

// A store as lines of JSON. The first line says what it is, the last one how
// much it was; between them stand the paused queues and the marks of retention,
// then all tasks, then the acts without a task. The secret that signs leases and
// the access tokens are not among them: whoever reads the file can neither
// settle a task nor get into a hub.

const format = 1

// maxLine is the longest line that is read: a task with all its facts.
const maxLine = 1 << 30

// line is one line of the file; one of its parts is set.
type line struct {
	Head   *head      `json:"tq_export,omitempty"`
	Ledger *tq.Ledger `json:"ledger,omitempty"`
	Task   *tq.Whole  `json:"task,omitempty"`
	Act    *tq.Fact   `json:"act,omitempty"`
	End    *end       `json:"end,omitempty"`
}

type head struct {
	Format int     `json:"format"`
	ID     string  `json:"id"` // names the export
	Engine string  `json:"engine"`
	Place  string  `json:"place"`
	At     tq.Time `json:"at"`
	Tasks  int64   `json:"tasks"` // about
}

type end struct {
	Tasks int64 `json:"tasks"`
	Facts int64 `json:"facts"`
	Acts  int64 `json:"acts"`
}

// Written says what an export holds.
type Written struct {
	Tasks int64 `json:"tasks"`
	Facts int64 `json:"facts"`
	Acts  int64 `json:"acts"`
}

// Export writes all of s, its tasks as they are at one moment.
func Export(ctx context.Context, s tq.Movable, w io.Writer, report func(Progress)) (Written, error) {
	x := &exporting{out: bufio.NewWriterSize(w, 1<<20), report: report}
	x.json = json.NewEncoder(x.out)
	x.json.SetEscapeHTML(false)
	var err error
	if x.of, err = total(ctx, s); err != nil {
		return x.done, err
	}
	info := s.Info()
	x.line(line{Head: &head{
		Format: format, ID: rand.Text(), Engine: info.Engine, Place: info.Place, At: tq.At(info.Now()), Tasks: x.of,
	}})
	ledger, err := s.Ledger(ctx)
	if err != nil {
		return x.done, err
	}
	x.line(line{Ledger: &tq.Ledger{Paused: ledger.Paused, Cursors: ledger.Cursors}})
	if err := s.Export(ctx, tq.ExportQuery{}, x.task); err != nil {
		return x.done, err
	}
	if err := x.acts(ctx, s); err != nil {
		return x.done, err
	}
	last := end(x.done)
	x.line(line{End: &last})
	if x.err == nil {
		x.err = x.out.Flush()
	}
	return x.done, wrap("write the export", x.err)
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return tq.Errorf(tq.CodeUnavailable, "%s: %w", what, err)
}

type exporting struct {
	out    *bufio.Writer
	json   *json.Encoder
	report func(Progress)
	of     int64
	done   Written
	err    error
}

func (x *exporting) line(l line) {
	if x.err == nil {
		x.err = x.json.Encode(l)
	}
}

func (x *exporting) task(w *tq.Whole) error {
	x.line(line{Task: w})
	x.done.Tasks++
	x.done.Facts += int64(len(w.Facts))
	if x.report != nil {
		x.report(Progress{Stage: StageExport, Tasks: x.done.Tasks, Of: x.of})
	}
	return wrap("write the export", x.err)
}

func (x *exporting) acts(ctx context.Context, s tq.Store) error {
	for after := int64(0); ; {
		acts, err := s.Facts(ctx, tq.FactQuery{After: after, Kinds: tq.Acts(), Limit: tq.MaxPage})
		if err != nil || len(acts) == 0 {
			return err
		}
		for i := range acts {
			x.line(line{Act: &acts[i]})
		}
		x.done.Acts += int64(len(acts))
		after = acts[len(acts)-1].Seq
	}
}

// The stages of files.
const (
	StageExport Stage = "export"
	StageImport Stage = "import"
)

// reader reads the lines of an export.
type reader struct {
	in   *bufio.Scanner
	n    int
	head head
}

func newReader(r io.Reader) (*reader, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<20), maxLine)
	f := &reader{in: in}
	l, err := f.next()
	if err == nil && l.Head == nil {
		err = errors.New("it does not begin with a line of tq export")
	}
	if err != nil {
		return nil, tq.Errorf(tq.CodeInvalid, "read the export: %w", err).WithHint("tq export writes such files")
	}
	if f.head = *l.Head; f.head.Format != format {
		return nil, tq.Errorf(tq.CodeInvalid, "the export is of format %d, this tq knows %d", f.head.Format, format).WithHint("use a newer tq")
	}
	return f, nil
}

// next reads a line; io.EOF behind the last.
func (f *reader) next() (line, error) {
	var l line
	if !f.in.Scan() {
		return l, cmp.Or(f.in.Err(), io.EOF)
	}
	f.n++
	if err := json.Unmarshal(f.in.Bytes(), &l); err != nil {
		return l, tq.Errorf(tq.CodeInvalid, "line %d of the export: %w", f.n, err)
	}
	return l, nil
}

// each calls f for every line, and makes sure that the file is whole.
func (f *reader) each(do func(*line) error) error {
	var seen Written
	for {
		l, err := f.next()
		if errors.Is(err, io.EOF) {
			return tq.Errorf(tq.CodeInvalid, "the export ends in the middle, behind line %d", f.n).WithHint("it was cut short: export once more")
		}
		if err != nil {
			return err
		}
		switch {
		case l.End != nil && Written(*l.End) != seen:
			return tq.Errorf(tq.CodeInvalid, "the export holds %d tasks, not the %d that were written", seen.Tasks, l.End.Tasks)
		case l.End != nil:
			return nil
		case l.Task != nil:
			seen.Tasks++
			seen.Facts += int64(len(l.Task.Facts))
		case l.Act != nil:
			seen.Acts++
		}
		if err := do(&l); err != nil {
			return err
		}
	}
}

// Imported says what an import did.
type Imported struct {
	Tasks   int64 `json:"tasks"`
	Already bool  `json:"already,omitempty"` // this export was imported before
}

// Import fills a store that was never used with an export: ids, facts and keys
// are those of the file. It may be cut short and run again, and once it has come
// to its end, a repeat changes nothing.
func Import(ctx context.Context, s tq.Movable, r io.Reader, report func(Progress)) (Imported, error) {
	f, err := newReader(r)
	if err != nil {
		return Imported{}, err
	}
	p := &importing{s: s, of: f.head.Tasks, report: report, counts: map[tq.Place]*tq.LineCount{}}
	if p.mark, err = s.Moving(ctx); err != nil {
		return p.out, err
	}
	if p.mark.ID == f.head.ID && p.mark.Phase == tq.PhaseArrived {
		p.out.Already = true
		return p.out, nil
	}
	if err := p.begin(ctx, &f.head); err != nil {
		return p.out, err
	}
	err = f.each(func(l *line) error { return p.line(ctx, l) })
	if err == nil {
		err = p.flush(ctx)
	}
	if err == nil {
		err = p.end(ctx)
	}
	return p.out, err
}

type importing struct {
	s      tq.Movable
	mark   tq.Move
	of     int64
	report func(Progress)
	out    Imported
	waits  []tq.Whole // to be written
	acts   []tq.Fact
	size   int
	ledger tq.Ledger
	counts map[tq.Place]*tq.LineCount
}

func (p *importing) begin(ctx context.Context, h *head) error {
	if p.mark.ID == h.ID && p.mark.Phase == tq.PhaseFilling {
		return nil
	}
	is := tq.Move{ID: h.ID, Peer: "an export of " + h.Place, Phase: tq.PhaseFilling}
	err := p.s.SetMove(ctx, tq.Move{}, is)
	if tq.CodeOf(err) == tq.CodeInvalidState {
		return tq.Errorf(tq.CodeInvalidState, "%s has been in use already, so ids of the export may be taken", p.s.Info().Place).
			WithHint("name a place that is not there yet, or give --renumber: what has not ended is then enqueued anew")
	}
	p.mark = is
	return err
}

func (p *importing) line(ctx context.Context, l *line) error {
	switch {
	case l.Ledger != nil:
		p.ledger.Paused, p.ledger.Cursors = l.Ledger.Paused, l.Ledger.Cursors
		return nil
	case l.Act != nil:
		p.acts = append(p.acts, *l.Act)
		p.ledger.LastSeq = max(p.ledger.LastSeq, l.Act.Seq)
	case l.Task != nil:
		p.count(l.Task)
		if l.Task.ID <= p.mark.Next {
			return nil // an earlier run brought it
		}
		p.waits = append(p.waits, *l.Task)
		p.size += weight(l.Task)
	}
	if len(p.waits) < bite && len(p.acts) < bite && p.size < biteBytes {
		return nil
	}
	return p.flush(ctx)
}

// flush writes what was read.
func (p *importing) flush(ctx context.Context) error {
	in := tq.Import{Was: p.mark, Is: p.mark, Tasks: p.waits, Acts: p.acts, Fresh: true}
	if n := len(p.waits); n > 0 {
		in.Is.Next = p.waits[n-1].ID
	}
	if len(in.Tasks)+len(in.Acts) == 0 {
		return nil
	}
	if err := p.s.Import(ctx, in); err != nil {
		return err
	}
	p.mark = in.Is
	p.out.Tasks += int64(len(p.waits))
	p.waits, p.acts, p.size = nil, nil, 0
	if p.report != nil {
		p.report(Progress{Stage: StageImport, Tasks: p.out.Tasks, Of: p.of})
	}
	return nil
}

// end writes the counts of what the file held and opens the store.
func (p *importing) end(ctx context.Context) error {
	for _, c := range slices.SortedFunc(maps.Values(p.counts), byName) {
		p.ledger.Counts = append(p.ledger.Counts, *c)
	}
	is := p.mark
	is.Phase = tq.PhaseArrived
	return p.s.Import(ctx, tq.Import{Was: p.mark, Is: is, Ledger: &p.ledger})
}

func byName(a, b *tq.LineCount) int {
	return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Project, b.Project))
}

// count adds a task to the counts, as the store keeps them.
func (p *importing) count(w *tq.Whole) {
	p.ledger.LastID = max(p.ledger.LastID, w.ID)
	for i := range w.Facts {
		p.ledger.LastSeq = max(p.ledger.LastSeq, w.Facts[i].Seq, w.Facts[i].Place)
	}
	last := w.Last()
	if w.Asked == nil || last == nil {
		return
	}
	at := tq.Place{Queue: w.Queue, Type: w.Type, Project: w.Project}
	c := p.counts[at]
	if c == nil {
		c = &tq.LineCount{Queue: w.Queue, Type: w.Type, Project: w.Project}
		p.counts[at] = c
	}
	switch last.Status {
	case tq.Blocked:
		c.Blocked++
		c.BlockedByDead += int64(min(1, w.Stuck()))
	case tq.Running:
		c.Running++
	case tq.Completed:
		c.Completed++
	case tq.Dead:
		c.Dead++
	case tq.Cancelled:
		c.Cancelled++
	case tq.Pending:
		p.countPending(c, last)
	}
}

func (p *importing) countPending(c *tq.LineCount, last *tq.WholeFact) {
	if last.Place != 0 {
		c.Ready++
		return
	}
	c.Scheduled++
	if last.Attempt > 0 {
		c.Retrying++
	}
}
