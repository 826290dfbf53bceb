package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/tq"
)

// Many tasks from a file of JSON lines, in batches that the queue takes whole.
// A file is read through once before anything is put in, so that a bad line
// stores nothing; standard input cannot be read twice, there the batches before
// the bad line stand.

// maxLine is the longest line: a payload at its limit, every byte escaped, and
// a full set of dependencies.
const maxLine = 2 << 20

// row is one line of the file.
type row struct {
	task tq.NewTask
	line int
}

// bulk puts the rows of one file in.
type bulk struct {
	app    *app
	client tq.Client
	name   string
	ids    []int64 // of all rows so far, for the deps of later ones
	rows   []row   // of the batch to come
	bytes  int
	count  int // rows put in
}

func (a *app) enqueueFile(cmd *cobra.Command, in *enqueueFlags) error {
	for _, name := range []string{"payload", "key", "delay", "at", "after", "parent", "wait", "tag", "backoff", "on-dep-failure"} {
		if cmd.Flags().Changed(name) {
			return usage("--%s goes with one task, not with --file", name).
				WithHint("write it into the lines of the file")
		}
	}
	in.task.Timeout = tq.Duration(in.timeout)
	src, name := a.Stdin, "standard input"
	if in.file != "-" {
		name = in.file
		f, err := openText(cmd.Context(), "file", in.file)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // only read from
		if err := checkFile(name, f, in.task); err != nil {
			return err
		}
		src = f
	}
	return a.ask(cmd.Context(), func(ctx context.Context, c tq.Client) error {
		b := &bulk{app: a, client: c, name: name}
		err := readRows(name, src, in.task, func(r row) error { return b.add(ctx, r) })
		if err == nil {
			err = b.send(ctx)
		}
		a.out.progress("")
		if err != nil && b.count > 0 {
			a.out.note("%s before that are in", plural(b.count, "task"))
		}
		return err
	})
}

// checkFile reads a regular file through and goes back to its beginning.
func checkFile(name string, f *os.File, like tq.NewTask) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if err := readRows(name, f, like, func(row) error { return nil }); err != nil {
		return err
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// readRows reads the lines of r as tasks. What a line leaves out it takes from
// like.
func readRows(name string, r io.Reader, like tq.NewTask, each func(row) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	rows := 0
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		rows++
		task, err := parseRow(lines.Bytes(), like)
		if err != nil {
			return inLine(name, n, err)
		}
		if err := each(row{task, n}); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return tq.Errorf(tq.CodeTooLarge, "file: a line of %s is longer than %d bytes", name, maxLine)
	case err != nil:
		return usage("file: read %s: %w", name, err)
	case rows == 0:
		return usage("file: %s has no tasks", name)
	}
	return nil
}

// parseRow reads one object. It refuses what the standard library lets pass:
// keys that are unknown, stand twice or are written otherwise, null, and zeros
// that would be taken for defaults.
func parseRow(line []byte, like tq.NewTask) (tq.NewTask, error) {
	task := tq.NewTask{
		Type: like.Type, Queue: like.Queue, Project: like.Project, Priority: like.Priority,
		MaxAttempts: like.MaxAttempts, Timeout: like.Timeout, KeyUntil: like.KeyUntil, OnMismatch: like.OnMismatch,
	}
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return task, usage("want an object, as in {\"type\": \"sh\", \"payload\": \"true\"}")
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		var text json.RawMessage
		if err == nil {
			err = d.Decode(&text)
		}
		if err != nil {
			return task, usage("%w", plainJSON(err))
		}
		name := fmt.Sprint(key)
		if seen[name] {
			return task, usage("%s: stands twice", name)
		}
		seen[name] = true
		if err := setField(&task, name, text); err != nil {
			return task, err
		}
	}
	if err := endOfRow(d); err != nil {
		return task, err
	}
	_, err := task.Normal()
	return task, err
}

func endOfRow(d *json.Decoder) error {
	if _, err := d.Token(); err != nil { // the closing brace
		return usage("%w", plainJSON(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return usage("has something after the object: want one task per line")
	}
	return nil
}

// setField reads the value of one key.
func setField(task *tq.NewTask, key string, text json.RawMessage) error {
	fields := taskFields()
	if !slices.Contains(fields, key) {
		e := usage("%s: is no field of a task", key)
		if near := tq.Nearest(key, fields); near != "" {
			return e.WithHint("did you mean %s?", near)
		}
		return e.WithHint("fields: %s", strings.Join(fields, " "))
	}
	strict := []string{"type", "queue", "idempotency_key", "max_attempts", "parent"}
	switch value := string(text); {
	case value == "null" && key != "payload":
		return usage("%s: is null: leave it out", key)
	case (value == "0" || value == `""`) && slices.Contains(strict, key):
		return usage("%s: is %s: leave it out for the default", key, value)
	}
	if err := json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", key, text), task); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return usage("%s: is a %s, want %s", key, kind.Value, jsonName(kind.Type))
		}
		return usage("%s: %w", key, err)
	}
	return nil
}

// jsonName names a Go type for those who write JSON.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// taskFields lists the JSON names of a new task.
func taskFields() []string {
	t := reflect.TypeFor[tq.NewTask]()
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// plainJSON says in our words where JSON went wrong.
func plainJSON(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("is not valid JSON at byte %d: %w", syntax.Offset, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("is not valid JSON: it ends too early")
	}
	return err
}

// inLine says in which line err was found.
func inLine(name string, line int, err error) error {
	e := *asError(err)
	e.Message = name + ":" + strconv.Itoa(line) + ": " + e.Message
	return &e
}

// add takes a row into the batch and sends the batch when it is full.
func (b *bulk) add(ctx context.Context, r row) error {
	const quoting = 2 // bare command lines grow a little when they are quoted
	size := quoting*len(r.task.Payload) + quoting
	if len(b.rows) == tq.MaxBatch || b.bytes+size > tq.MaxBatchBytes {
		if err := b.send(ctx); err != nil {
			return err
		}
	}
	if err := b.resolve(&r.task); err != nil {
		return inLine(b.name, r.line, err)
	}
	b.rows = append(b.rows, r)
	b.bytes += size
	return nil
}

// resolve turns references to rows of the file into ids, or into rows of the
// batch they are in.
func (b *bulk) resolve(t *tq.NewTask) error {
	for i, ref := range t.Deps {
		text, ok := strings.CutPrefix(string(ref), "$")
		if !ok {
			continue
		}
		n, err := strconv.Atoi(text)
		switch {
		case err != nil || n < 0 || n >= len(b.ids)+len(b.rows):
			return usage("deps: %s is not an earlier line of the file", ref)
		case n < len(b.ids):
			t.Deps[i] = tq.ID(b.ids[n])
		default:
			t.Deps[i] = tq.Ref("$" + strconv.Itoa(n-len(b.ids)))
		}
	}
	return nil
}

func (b *bulk) send(ctx context.Context) error {
	if len(b.rows) == 0 {
		return nil
	}
	in := tq.EnqueueIn{Tasks: make([]tq.NewTask, len(b.rows))}
	for i, r := range b.rows {
		in.Tasks[i] = r.task
	}
	out, err := b.client.Enqueue(ctx, in)
	if err != nil {
		return b.refused(err)
	}
	for i, e := range out.Tasks {
		b.ids = append(b.ids, e.ID)
		b.app.remark(e, in.Tasks[i].IdempotencyKey)
		b.app.printEnqueued(e)
	}
	b.count += len(out.Tasks)
	b.rows, b.bytes = b.rows[:0], 0
	b.app.out.progress(plural(b.count, "task") + " put in")
	return b.app.out.flush()
}

// refused says which line of the file the row of an error was.
func (b *bulk) refused(err error) error {
	i, inner := ofOneRow(err)
	if i < 0 || i >= len(b.rows) {
		return err
	}
	return inLine(b.name, b.rows[i].line, inner)
}

// ofOneRow takes the batch out of an error about one of its rows, and answers
// which it was, or -1: the user of a command line sent no batch.
func ofOneRow(err error) (row int, inner error) {
	var e *tq.Error
	if !errors.As(err, &e) {
		return -1, err
	}
	m := batchRow.FindStringSubmatch(e.Message)
	if m == nil {
		return -1, err
	}
	row, convErr := strconv.Atoi(m[1])
	if convErr != nil {
		return -1, err
	}
	c := *e
	c.Message = e.Message[len(m[0]):]
	c.Errors = slices.Clone(e.Errors)
	for i, f := range c.Errors {
		c.Errors[i].Pointer = strings.TrimPrefix(f.Pointer, "/tasks/"+m[1])
	}
	return row, &c
}

// batchRow finds the row of a batch in front of an error. It never changes.
var batchRow = regexp.MustCompile(`^tasks/(\d+): `)
