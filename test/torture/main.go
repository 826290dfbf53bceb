//go:build linux

// Command torture runs the rigs of the repository one campaign after the other,
// adds up what they counted and writes docs/why/reliability.md. Every figure of
// that page comes from a line that a rig printed (test/tally); no one is typed.
//
// `make torture` runs it at a tenth of the figures that we aim at, `make
// torture-full` at all of them. That takes hours: what was run of them is kept,
// and the same command goes on after an interruption. With -missing what is kept
// is the record beside the page, on whatever machine it was begun.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() { os.Exit(code()) }

func code() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		return 1
	}
	return 0
}

// settings of a run.
type settings struct {
	full    bool
	missing bool // of all figures, what the record has no good run of
	seed    uint64
	only    string // campaigns, for a try; writes nothing but what is missing
	logs    string
	out     string
	page    bool
}

func run(ctx context.Context) error {
	var s settings
	flag.BoolVar(&s.full, "full", false, "all of the figures, not a tenth")
	flag.BoolVar(&s.missing, "missing", false, "all of the figures: what their record has no good run of, added to it")
	flag.Uint64Var(&s.seed, "seed", 1, "of everything that is drawn")
	flag.StringVar(&s.only, "only", "", "only these campaigns, as in 3,9; writes no page but for what is missing")
	flag.StringVar(&s.logs, "logs", filepath.Join(".cache", "torture"), "folder for what the rigs say")
	flag.StringVar(&s.out, "out", filepath.Join("docs", "why"), "folder of the page")
	flag.BoolVar(&s.page, "page", false, "write the page anew from its record, without running anything")
	flag.Parse()
	s.full = s.full || s.missing
	if s.page {
		return rewrite(s.out)
	}
	all, err := chosen(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.logs, 0o755); err != nil {
		return fmt.Errorf("make a folder for logs: %w", err)
	}
	r := newRecord(ctx, s)
	k, err := openKept(s, r)
	if err != nil {
		return err
	}
	r.runAll(ctx, s, all, k)
	if s.missing {
		err = rewrite(s.out) // the record was written with each rig
	}
	if ctx.Err() != nil {
		return errors.Join(k.interrupted(), err)
	}
	fmt.Printf("\n%s\n", r.table())
	if s.only == "" && !s.missing {
		err = r.write(s.out)
	}
	if err := errors.Join(err, r.verdict()); err != nil || s.only != "" {
		return err // what went well need not be run again
	}
	return k.forget(s)
}

// chosen are the rigs of the campaigns that were asked for, or all.
func chosen(s settings) ([]rig, error) {
	if s.only == "" {
		return rigs(s.full), nil
	}
	var all []rig
	for text := range strings.SplitSeq(s.only, ",") {
		n, err := strconv.Atoi(text)
		found := slices.DeleteFunc(rigs(s.full), func(r rig) bool { return r.campaign != n })
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("no campaign %q", text)
		}
		all = append(all, found...)
	}
	return all, nil
}
