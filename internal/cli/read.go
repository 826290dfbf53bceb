package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"example.com/tq"
)

// Texts that a flag gives as TEXT, @file or - (standard input).

// patience is how long a source may keep silent before it is given up: a pipe
// that nobody writes to must not hang a script for ever. A person at a terminal
// may take his time.
const patience = 5 * time.Second

// text reads what the flag's value names. At most limit+1 bytes are read, so
// that one too many can be seen and an endless source ends.
func (a *app) text(ctx context.Context, flag, arg string, limit int) ([]byte, error) {
	var r io.Reader
	switch {
	case arg == "-":
		r = a.Stdin
	case len(arg) > 1 && arg[0] == '@':
		f, err := openText(ctx, flag, arg[1:])
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // only read from
		r = f
	default:
		return []byte(arg), nil
	}
	b, err := readPatiently(ctx, io.LimitReader(r, int64(limit)+1), isTerminal(r))
	switch {
	case errors.Is(err, errSilent):
		return nil, usage("%s: nothing came from %s for %s", flag, arg, span(patience)).
			WithHint("write it to a file first and give --%s @FILE", flag)
	case errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		return nil, usage("%s: read %s: %w", flag, arg, err)
	case len(b) == 0:
		return nil, usage("%s: %s is empty", flag, arg)
	}
	return b, nil
}

// openText opens a regular file or a pipe. Opening a pipe waits for its writer,
// so it is given up like silence.
func openText(ctx context.Context, flag, path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, usage("%s: %w", flag, err)
	}
	if mode := info.Mode(); !mode.IsRegular() && mode&os.ModeNamedPipe == 0 {
		return nil, usage("%s: %s is neither a file nor a pipe", flag, path)
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, usage("%s: %w", flag, o.err)
		}
		return o.f, nil
	case <-timer.C:
		return nil, usage("%s: nobody wrote to %s for %s", flag, path, span(patience))
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

var errSilent = errors.New("silent")

// readPatiently reads all of r. Each piece has to come within patience, unless
// endless patience was asked for. A read that is given up goes on in the
// background until the process ends.
func readPatiently(ctx context.Context, r io.Reader, endless bool) ([]byte, error) {
	type piece struct {
		b   []byte
		err error
	}
	pieces := make(chan piece)
	gone := make(chan struct{})
	defer close(gone)
	go func() {
		for {
			b := make([]byte, 32*1024)
			n, err := r.Read(b)
			select {
			case pieces <- piece{b[:n], err}:
			case <-gone:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var all []byte
	for {
		timer.Reset(patience)
		silence := timer.C
		if endless {
			silence = nil
		}
		select {
		case p := <-pieces:
			all = append(all, p.b...)
			if errors.Is(p.err, io.EOF) {
				return all, nil
			}
			if p.err != nil {
				return all, p.err
			}
		case <-silence:
			return nil, errSilent
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// jsonText reads a text that goes to the queue as it is.
func (a *app) jsonText(ctx context.Context, flag, arg string) ([]byte, error) {
	return a.text(ctx, flag, arg, tq.MaxPayload)
}
