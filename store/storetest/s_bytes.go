package storetest

import (
	"strings"
	"unicode/utf8"

	"example.com/tq"
)

// Spec §5, S27: bytes in = bytes out, and text that a task printed is made
// safe, never refused.

func bytesPromises() []promise {
	return []promise{
		{"S27 a payload comes back byte for byte from every read", payloadBytes},
		{"S27 a result comes back byte for byte from every read", resultBytes},
		{"S27 what is not JSON in UTF-8, or nested over 128, is refused", badJSON},
		{"S27 no payload and an empty one are both none", noPayload},
		{"S27 error text is made safe", errorText},
		{"S27 a progress note is made safe and cut", progressText},
		{"S27 the trace of a task goes with it", traceKept},
		{"S27 one poisoned text holds back no other row", poisonedText},
	}
}

func traceKept(q *Queue) {
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	id := q.enqueue(tq.NewTask{Traceparent: trace})
	same(q, "read", q.task(id).Traceparent, trace)
	c := q.take(id)
	same(q, "claimed", c.Traceparent, trace)
	q.failFor(c, "again", 0)
	same(q, "claimed again", q.take(id).Traceparent, trace)
	for _, bad := range []string{"x", trace + "0", "01" + trace[2:], strings.ToUpper(trace)} {
		_, err := q.tryEnqueue(tq.NewTask{Traceparent: bad})
		q.refused(bad, err, tq.CodeInvalid)
	}
}

// corpus is JSON that stores and encoders like to rewrite.
func corpus() []string {
	return []string{
		`"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udfff\ud800"`, `"\u00e9"`, `"é"`, `"\/"`, `"<&>\u2028"`, "\"\u2028\"", "\"\x7f\"",
		`1.0e2`, `1E400`, `-0`, `-0.0`, `0.10`, `12345678901234567890`, `9007199254740993`, `3.141592653589793238462643383279`,
		`{"b":1,"a":2,"b":3}`, `{"a":null}`, `{"":0}`, `{"a":{"b":[]}}`,
		" {\t\"a\" :\r\n[ 1 , 2 ] } ", "\n1\n", `true`, `null`, `[]`, `""`, `"'; drop table tasks; --"`,
		strings.Repeat("[", 128) + strings.Repeat("]", 128),
		`"` + strings.Repeat("[{", 500) + `"`,
		"\"\U0001F600\uFEFF\u202E\"", `"\u001b[2J"`, `"$1 ? :x @y"`,
	}
}

func payloadBytes(q *Queue) {
	for _, sent := range corpus() {
		c := q.started(tq.NewTask{Payload: []byte(sent)})
		text := strings.TrimSpace(sent) // the space around a text belongs to its carrier
		same(q, "payload in the claim", string(c.Payload), text)
		same(q, "payload of the task", string(q.task(c.ID).Payload), text)
		same(q, "payload in the list", string(q.list(tq.TasksIn{Type: c.Type, Fields: "payload"})[0].Payload), text)
		out, err := q.Client.Tasks(q.ctx(), tq.TasksIn{Type: c.Type})
		q.must("list", err)
		same(q, "payload in a list that did not ask for it", len(out.Tasks[0].Payload), 0)
	}
}

func resultBytes(q *Queue) {
	for _, sent := range corpus() {
		c := q.started(tq.NewTask{})
		q.complete(c, sent)
		text := strings.TrimSpace(sent)
		same(q, "result of task", string(q.task(c.ID).Result), text)
		same(q, "result in the list", string(q.list(tq.TasksIn{Type: c.Type, Fields: "payload"})[0].Result), text)
		child := q.enqueue(tq.NewTask{Deps: []tq.Ref{tq.ID(c.ID)}})
		same(q, "result as a dep", string(q.task(child).Deps[0].Result), text)
		out, err := q.Client.Wait(q.ctx(), tq.WaitIn{IDs: []int64{c.ID}})
		q.must("wait", err)
		same(q, "result of wait", string(out.Tasks[0].Result), text)
	}
}

// badTexts are no JSON, by why.
func badTexts() map[string]string {
	return map[string]string{
		"cut": `{"a":`, "two values": `1 2`, "bare word": `hello`, "single quotes": `'a'`, "comma": `[1,]`,
		"raw NUL": "\"a\x00b\"", "raw newline": "\"a\nb\"", "raw NUL around": "\x001",
		"bad UTF-8": "\"caf\xe9\"", "overlong": "\"\xc0\x80\"", "surrogate in UTF-8": "\"\xed\xa0\x80\"",
		"byte order mark": "\ufeff1", "NaN": `NaN`, "hex": `0x10`, "leading zero": `01`,
		"nesting": strings.Repeat("[", 129) + strings.Repeat("]", 129), "deep nesting": strings.Repeat("[", 100_000),
	}
}

func badJSON(q *Queue) {
	c := q.started(tq.NewTask{})
	q.unchanged("bad JSON", func() {
		for what, text := range badTexts() {
			_, err := q.tryEnqueue(tq.NewTask{Payload: []byte(text)})
			q.names(q.refused("payload: "+what, err, tq.CodeInvalid), "/tasks/0/payload", "payload")
			e := q.rowRefused("result: "+what, q.tryComplete(c, text).Error, tq.CodeInvalid)
			q.names(e, "/result", "result")
		}
	})
	q.complete(c, `1`)
}

func noPayload(q *Queue) {
	for _, n := range []tq.NewTask{{}, {Payload: []byte{}}} {
		id := q.enqueue(n)
		c := q.take(id)
		same(q, "payload", len(c.Payload), 0)
		q.complete(c, "")
		same(q, "result", len(q.task(id).Result), 0)
	}
}

func errorText(q *Queue) {
	for text, want := range map[string]string{
		"plain":              "plain",
		"caf\xe9":            "caf\uFFFD",
		"a\x00b":             "a\uFFFDb",
		"\x00":               "\uFFFD",
		"\x1b[2J\u202e":      "\x1b[2J\u202e",
		"line 1\r\nline 2":   "line 1\r\nline 2",
		"\xffa\xfe\x00\x00x": "\uFFFDa\uFFFD\uFFFD\uFFFDx",
		"":                   "",
	} {
		c := q.started(tq.NewTask{})
		q.fail(c, text)
		same(q, "last error", q.task(c.ID).LastError, want)
		if f := q.lastFact(c.ID); !utf8.ValidString(f.Detail.Error) {
			q.t.Fatalf("the fact of %q keeps %q", text, f.Detail.Error)
		}
	}
}

func progressText(q *Queue) {
	c := q.started(tq.NewTask{})
	note := func(p tq.Progress) tq.Progress {
		q.settled("progress", q.tryExtend(c, tq.ExtendLease{Progress: &p}))
		return *q.task(c.ID).Progress
	}
	same(q, "note", note(tq.Progress{Note: "a\x00b\xff"}).Note, "a\uFFFDb\uFFFD")
	long := note(tq.Progress{Note: strings.Repeat("é", 100_000), Fraction: 1})
	if len(long.Note) > tq.MaxDetail || !utf8.ValidString(long.Note) {
		q.t.Fatalf("a long note is kept in %d bytes", len(long.Note))
	}
	for _, bad := range []float64{-0.1, 1.1} {
		e := q.rowRefused("progress", q.tryExtend(c, tq.ExtendLease{Progress: &tq.Progress{Fraction: bad}}).Error, tq.CodeInvalid)
		q.names(e, "/progress/fraction", "0 to 1")
	}
}

func poisonedText(q *Queue) {
	q.enqueueN(20, tq.NewTask{})
	var rows []tq.FailLease
	for i, c := range q.claimSome(tq.ClaimIn{Max: 20}) {
		text := "plain"
		if i == 7 {
			text = "a\x00b\xed\xa0\x80" + strings.Repeat("\xff", tq.MaxError)
		}
		rows = append(rows, tq.FailLease{LeaseToken: c.LeaseToken, Error: text})
	}
	out, err := q.Client.Fail(q.ctx(), tq.FailIn{Leases: rows})
	q.must("fail", err)
	for _, s := range out.Leases {
		same(q, "status", q.settled("fail", s).Status, tq.Pending)
	}
	same(q, "running", q.stats().Running, 0)
}
