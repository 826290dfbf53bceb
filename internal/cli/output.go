package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/tq"
)

// All printing. Answers go to stdout, remarks and errors to stderr; with --json
// both are one JSON object per line. Every text passes the sanitizer here.

// output prints for one run of tq.
type output struct {
	stdout *bufio.Writer
	stderr io.Writer
	json   bool
	color  bool // of stdout
	ascii  bool // the locale is not UTF-8
	live   bool // stderr is a terminal: progress may be drawn over
	drawn  bool // such a progress line stands there now
}

// styled is text that is fit to print as it is: it was made safe and colored.
type styled string

// line prints a line on stdout. Arguments of %s are made safe.
func (o *output) line(format string, args ...any) {
	o.clear()
	fmt.Fprintf(o.stdout, format+"\n", safeArgs(args)...) // bufio keeps the error for flush
}

// raw prints bytes on stdout as they are.
func (o *output) raw(b []byte) {
	o.clear()
	_, _ = o.stdout.Write(b) // bufio keeps the error for flush
}

// object prints v as JSON on one line of stdout.
func (o *output) object(v any) {
	o.clear()
	_, _ = o.stdout.WriteString(encodeJSON(v)) // bufio keeps the error for flush
}

// flush sends what was printed. A full disk or a closed pipe shows here.
func (o *output) flush() error {
	if err := o.stdout.Flush(); err != nil {
		return tq.Errorf(tq.CodeInternal, "write to stdout: %w", err)
	}
	return nil
}

// note remarks something on stderr.
func (o *output) note(format string, args ...any) {
	text := fmt.Sprintf(format, safeArgs(args)...)
	if o.json {
		o.errObject(struct {
			Note string `json:"note"`
		}{text})
		return
	}
	o.errLine("tq: " + text)
}

// progress shows how far long work has come, drawn over and over; "" takes it
// away. Where stderr is no terminal it shows nothing.
func (o *output) progress(text string) {
	if !o.live || o.json {
		return
	}
	o.clear()
	if text != "" {
		o.toStderr(safe(text))
		o.drawn = true
	}
}

func (o *output) clear() {
	if o.drawn {
		o.toStderr("\r\x1b[K")
		o.drawn = false
	}
}

// failed prints err, and what to do about it, on stderr.
func (o *output) failed(err error) {
	var s status
	if err == nil || errors.As(err, &s) {
		return
	}
	e := asError(err)
	if o.json {
		o.errObject(struct {
			Error failure `json:"error"`
		}{failure{e, exitOf(err)}})
		return
	}
	o.errLine("tq: " + safe(e.Message))
	if e.Hint != "" {
		o.errLine("hint: " + safe(e.Hint))
	}
}

// failure is an Error with the exit status it leads to.
type failure struct {
	*tq.Error
	Exit int `json:"exit"`
}

func asError(err error) *tq.Error {
	var e *tq.Error
	if !errors.As(err, &e) {
		return &tq.Error{Code: tq.CodeInternal, Message: err.Error()}
	}
	if err.Error() != e.Message { // keep what was wrapped around it
		c := *e
		c.Message = err.Error()
		return &c
	}
	return e
}

func (o *output) errObject(v any) { o.toStderr(encodeJSON(v)) }

func (o *output) errLine(text string) {
	o.clear()
	o.toStderr(text + "\n")
}

func (o *output) toStderr(text string) {
	_, _ = io.WriteString(o.stderr, text) // where should one complain that stderr is gone?
}

func safeArgs(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case styled:
			out[i] = string(a)
		case int, int64, float64:
			out[i] = a
		default:
			out[i] = safe(fmt.Sprint(a))
		}
	}
	return out
}

// encodeJSON encodes v on one line, with nothing in it that steers a terminal.
func encodeJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // what is stored comes back as it is
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("{\"error\":{\"code\":\"internal\",\"detail\":%q}}\n", err.Error())
	}
	return safeJSON(b.String())
}

// style colors text on a terminal.
func (o *output) style(s style, text string) styled {
	text = safe(text)
	if !o.color || s == "" || text == "" {
		return styled(text)
	}
	return styled("\x1b[" + string(s) + "m" + text + "\x1b[0m")
}

// style is an SGR parameter; color is never the only sign of anything.
type style string

const (
	plain   style = ""
	dim     style = "2"
	red     style = "31"
	green   style = "32"
	amber   style = "33"
	blue    style = "34"
	violet  style = "35"
	cyan    style = "36"
	strong  style = "1"
	loudRed style = "1;31"
)

// sign is how a status looks, the same in every view: its shape, that shape
// where only ASCII can be shown, and a color.
type sign struct {
	glyph, ascii string
	style        style
}

func signOf(label string) sign {
	switch label {
	case string(tq.Blocked):
		return sign{"◇", "B", violet}
	case tq.Scheduled:
		return sign{"◷", "S", blue}
	case tq.Ready, string(tq.Pending):
		return sign{"○", ".", plain}
	case string(tq.Running):
		return sign{"◐", ">", cyan}
	case tq.Retrying:
		return sign{"↻", "~", amber}
	case string(tq.Completed):
		return sign{"●", "+", green}
	case string(tq.Dead):
		return sign{"✕", "X", red}
	case string(tq.Cancelled):
		return sign{"⊘", "-", dim}
	}
	return sign{" ", " ", plain}
}

// glyph is the sign of a status in its color.
func (o *output) glyph(label string) styled {
	s := signOf(label)
	if o.ascii {
		return o.style(s.style, s.ascii)
	}
	return o.style(s.style, s.glyph)
}
