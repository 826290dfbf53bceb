package server

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// GET /v1/events: one stream with all that a page shows, so that a browser needs
// a single connection for it: facts of some topics, and the overview as it changes.

// MaxTopics is how many topics one stream may have.
const MaxTopics = 32

// topics are what somebody wants to hear of.
type topics struct {
	overview bool
	facts    bool // all that the caller may see
	queues   []string
	tasks    []int64
}

func parseTopics(text string) (topics, error) {
	if text == "" {
		return topics{overview: true, facts: true}, nil
	}
	words := strings.Split(text, ",")
	if len(words) > MaxTopics {
		return topics{}, wrongTopics("%d of them, the limit is %d", len(words), MaxTopics)
	}
	var t topics
	for _, word := range words {
		queue, isQueue := strings.CutPrefix(word, "queue:")
		task, isTask := strings.CutPrefix(word, "task:")
		id, err := strconv.ParseInt(task, 10, 64)
		switch {
		case word == "overview":
			t.overview = true
		case word == "facts":
			t.facts = true
		case isQueue && tq.CheckQueue("topics", queue) == nil:
			t.queues = append(t.queues, queue)
		case isTask && err == nil && id > 0:
			t.tasks = append(t.tasks, id)
		default:
			return topics{}, wrongTopics("%s is none", shortPath(word))
		}
	}
	return t, nil
}

func wrongTopics(format string, args ...any) *tq.Error {
	e := malformed("unknown_value", "topics: "+format, args...)
	return e.WithHint("want overview, facts, queue:NAME and task:ID with commas between them; without any it is overview,facts")
}

// of reports whether a fact belongs to the topics.
func (t *topics) of(f *tq.Fact) bool {
	return t.facts || slices.Contains(t.queues, f.Queue) || slices.Contains(t.tasks, f.TaskID)
}

// events registers the stream.
func (s *Server) events() {
	facts, overview := s.op("facts"), s.op("overview")
	if s.All == nil || facts == nil || overview == nil {
		return
	}
	in := reader{op: facts, route: "GET /v1/facts"}
	s.handleAPI("GET /v1/events", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		wanted, err := parseTopics(query.Get("topics"))
		if err == nil {
			query.Del("topics") // the rest is that of facts: after
			r = r.Clone(r.Context())
			r.URL.RawQuery = query.Encode()
			var raw []byte
			if raw, err = in.read(w, r); err == nil {
				err = s.placed(r, func() error { return s.followTopics(w, r, facts, overview, raw, wanted) })
			}
		}
		if err != nil {
			s.refuse(w, r, err)
		}
	}))
}

// op finds an operation, nil when this server does not answer it.
func (s *Server) op(name string) *ops.Op {
	i := slices.IndexFunc(s.table, func(o ops.Op) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return &s.table[i]
}

// hello is the first event of a stream: the seq behind which it begins, the
// time, and the build of the hub.
type hello struct {
	Seq     int64   `json:"seq"`
	Now     tq.Time `json:"now"`
	Version string  `json:"version"`
}

// followTopics begins behind Last-Event-ID or after, else with the next fact.
func (s *Server) followTopics(w http.ResponseWriter, r *http.Request, facts, overview *ops.Op, raw []byte, wanted topics) error {
	in, fromEnd, err := followed(r, facts, raw)
	if err != nil {
		return err
	}
	ctx := r.Context()
	mine := s.wants(ctx, in)
	f := following{s: s, op: facts, in: in, ctx: ctx, wants: func(f *tq.Fact) bool { return wanted.of(f) && mine(f) }}
	first, err := f.page(tq.FactsIn{Last: true, Limit: 1}) // refuses whoever may not read
	if err != nil {
		return err
	}
	if fromEnd && len(first) > 0 {
		f.in.After = first[0].Seq
	}
	var shown []byte
	if wanted.overview {
		if shown, err = s.firstCounts(ctx, overview, []byte("{}")); err != nil {
			return err
		}
	}
	if f.out, err = openStream(w); err != nil {
		return nil // the client is gone
	}
	f.out.event("hello", f.in.After, asLine(hello{f.in.After, tq.At(time.Now()), s.Version}))
	if wanted.overview {
		v, leave := s.look(ctx, overview, []byte("{}"))
		defer leave()
		f.view = &view{viewers: v}
		f.view.write(f.out, shown)
	}
	if f.out.flush() == nil {
		f.run()
	}
	return nil
}

// view is what a stream of facts shows of counts beside them.
type view struct {
	*viewers
	shown []byte
	next  <-chan struct{}
}

// news is closed when there are counts to show; nil of no view.
func (v *view) news() <-chan struct{} {
	if v == nil {
		return nil
	}
	return v.next
}

func (v *view) write(out *stream, counts []byte) {
	if counts != nil && !bytes.Equal(counts, v.shown) {
		out.event("overview", 0, counts)
		v.shown = counts
	}
	latest, next := v.latest()
	v.next = next
	if latest != nil && !bytes.Equal(latest, v.shown) {
		out.event("overview", 0, latest)
		v.shown = latest
	}
}

// tell sends the newest counts, if they are news.
func (v *view) tell(out *stream) bool {
	v.write(out, nil)
	return out.b.Len() == 0 || out.flush() == nil
}
