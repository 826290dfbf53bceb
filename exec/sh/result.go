package sh

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/tq"
)

const resultName = "result.json"

// scratch is the private folder of one attempt: what the command reads, and
// what it may write as its result.
type scratch struct {
	dir   string
	stdin *os.File
}

// newScratch makes the folder. The text for stdin goes through a file, not a
// pipe, so that a command which does not read it holds nobody up.
func newScratch(stdin string) (*scratch, error) {
	dir, err := os.MkdirTemp("", "tq-sh-")
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: dir}
	if s.stdin, err = openStdin(dir, stdin); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func openStdin(dir, text string) (*os.File, error) {
	if text == "" {
		return os.Open(os.DevNull)
	}
	name := filepath.Join(dir, "stdin")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return os.Open(name)
}

func (s *scratch) resultPath() string { return filepath.Join(s.dir, resultName) }

// remove deletes the folder, as far as the command has left that possible.
func (s *scratch) remove() {
	if s.stdin != nil {
		_ = s.stdin.Close() // read only
	}
	_ = os.RemoveAll(s.dir) // the attempt's outcome stands either way
}

// result is what the command wrote to its result file or, without one, the end
// of what it printed.
func (s *scratch) result(out *output, end report) (json.RawMessage, error) {
	b, err := s.written()
	if errors.Is(err, os.ErrNotExist) {
		return encodeResult(out.tail() + end.leftBehind())
	}
	if err != nil {
		return nil, fmt.Errorf("exit status 0, but $TQ_RESULT_FILE: %w%s", err, out.quote())
	}
	return b, nil
}

// written reads the result file: a regular file inside the folder, whatever the
// command has put in its place.
func (s *scratch) written() (json.RawMessage, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(resultName)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := root.Open(resultName)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	return readResult(f)
}

func readResult(r io.Reader) (json.RawMessage, error) {
	b, err := io.ReadAll(io.LimitReader(r, tq.MaxPayload+1))
	if err != nil {
		return nil, err
	}
	if len(b) > tq.MaxPayload {
		return nil, fmt.Errorf("is larger than %d bytes: keep large data elsewhere and write its address", tq.MaxPayload)
	}
	if b = bytes.TrimSpace(b); len(b) == 0 {
		return nil, errors.New("is empty, not JSON")
	}
	if bad := tq.CheckJSON("result", b, tq.MaxPayload); bad != nil {
		return nil, bad
	}
	return b, nil
}

// encodeResult is the result of a command that wrote none. Text that JSON makes
// too long (control characters take six bytes each) loses its first half.
func encodeResult(text string) (json.RawMessage, error) {
	for {
		b := new(bytes.Buffer)
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		err := enc.Encode(struct {
			ExitCode int    `json:"exit_code"`
			Output   string `json:"output"`
		}{Output: text})
		if err != nil {
			return nil, fmt.Errorf("encode the result: %w", err)
		}
		if b.Len() <= tq.MaxPayload {
			return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
		}
		text = string(lastLines([]byte(text), len(text)/2))
	}
}
