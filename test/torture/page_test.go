//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/tq/test/tally"
)

func ran() *record {
	r := &record{Made: "2026-11-30", Commit: "abc", Seed: 7}
	for _, x := range rigs(false) {
		r.Rigs = append(r.Rigs, result{
			Campaign: x.campaign, Name: x.name, About: x.about, Command: x.command(settings{seed: 7}),
			Counts: tally.Counts{Attempted: 1_234, Acknowledged: 1_000, OK: 1_000},
		})
	}
	return r
}

func TestEveryCampaignHasItsRigsAndEveryRigItsPlace(t *testing.T) {
	t.Parallel()
	r := ran()
	page := page(r, nil, &stale{Rows: []staleLine{{System: "other", Version: "v1", Answered: "nothing", Kept: "completed"}}})
	numbers, sums := r.sums()
	if len(numbers) != len(campaigns()) {
		t.Errorf("campaigns %v have rigs, want %d of them", numbers, len(campaigns()))
	}
	names := map[string]bool{}
	for _, x := range r.Rigs {
		if names[x.Name] {
			t.Errorf("two rigs are called %s", x.Name)
		}
		names[x.Name] = true
		if !strings.Contains(page, "| "+x.Name+" | 0 | 1,234 | 1,000 | 1,000 | 0 |") || !strings.Contains(page, "\n"+x.Command+"\n") {
			t.Errorf("the page has no row or no command of %s", x.Name)
		}
	}
	blocks := strings.Split(page, "```sh not-run")
	for _, before := range blocks[:len(blocks)-1] {
		if text := before[strings.LastIndex(before, "```\n")+1:]; !strings.Contains(text, "not run here") {
			t.Errorf("test/docs wants to be told why commands are not run here:\n%s", text)
		}
	}
	if sums[9].Attempted != 1_234 || !strings.Contains(page, "| other | v1 | nothing | completed |") {
		t.Errorf("the sums or the peers are not in the page:\n%s", page)
	}
	if err := r.verdict(); err != nil {
		t.Errorf("nothing was lost, and the verdict is %v", err)
	}
}

func TestALossIsNotPassedOver(t *testing.T) {
	t.Parallel()
	for _, break1 := range []func(*result){
		func(x *result) { x.Counts.Lost = 1 },
		func(x *result) { x.Counts.Unexpected = 1 },
		func(x *result) { x.Counts.StaleAccepted = 1 },
		func(x *result) { x.Problem = "exit status 1" },
	} {
		r := ran()
		break1(&r.Rigs[3])
		if r.verdict() == nil || !strings.Contains(page(r, nil, nil), "**This run failed**") || !strings.Contains(page(nil, r, nil), "**This run failed**") {
			t.Errorf("%+v was passed over", r.Rigs[3])
		}
	}
}

func TestAFuzzersCountIsRead(t *testing.T) {
	t.Parallel()
	fuzzer := rig{fuzz: true}
	c, found, err := fuzzer.count("fuzz: elapsed: 3s, execs: 1852 (617/sec), new interesting: 4 (total: 12)")
	if err != nil || !found || c.Attempted != 1_852 {
		t.Errorf("read %+v, %v, %v", c, found, err)
	}
	if _, found, _ := fuzzer.count("fuzz: elapsed: 0s, gathering baseline coverage: 0/8 completed"); found {
		t.Error("found a count where there is none")
	}
}

// What is missing of the record beside the page is run on any machine, and the page
// says what is missing still.
func TestARecordIsMadeInManySittings(t *testing.T) {
	t.Parallel()
	s := settings{full: true, missing: true, seed: 7, logs: t.TempDir(), out: t.TempDir()}
	all := rigs(true)
	for i, x := range all[:2] {
		day := fmt.Sprintf("2026-12-0%d", i+1)
		k, err := openKept(s, &record{Made: day, Commit: "abc", Full: true, Seed: 7, Machine: "machine " + day})
		if err != nil {
			t.Fatal(err)
		}
		if len(k.now.Rigs) != i {
			t.Errorf("sitting %d finds %d rigs", i+1, len(k.now.Rigs))
		}
		ran := result{Campaign: x.campaign, Name: x.name, Command: "of other figures", Commit: "abc", Made: day, Counts: tally.Counts{OK: 1_234}}
		k.add(ran)
		ran.Command = x.command(s)
		k.add(ran)
		if err := errors.Join(k.err, k.forget(s), rewrite(s.out)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(s.out, pageName))
	if err != nil {
		t.Fatal(err)
	}
	_, missing, _ := strings.Cut(string(text), "Not run yet, or not well: ")
	missing, _, _ = strings.Cut(missing, "\n")
	for i, x := range all {
		if strings.Contains(missing, x.name) != (i >= 2) {
			t.Errorf("of %s: missing are %s", x.name, missing)
		}
	}
	if !strings.Contains(string(text), "2026-12-01 and 2026-12-02, tq at abc, seed 7; all of the figures that we aim at; machine 2026-12-01 and machine 2026-12-02,") {
		t.Errorf("the page does not say when:\n%s", text)
	}
	s.seed = 8
	if _, err := openKept(s, &record{Seed: 8}); err == nil {
		t.Error("what was run of another seed is taken")
	}
}

// Of all figures what went well is run once, in however many sittings.
func TestAnInterruptedRunGoesOn(t *testing.T) {
	t.Parallel()
	s := settings{full: true, seed: 7, logs: t.TempDir()}
	all := rigs(true)
	commands := map[string]bool{}
	for _, x := range all {
		commands[x.command(s)] = true
	}
	if len(commands) != len(all) {
		t.Fatalf("%d rigs have %d commands", len(all), len(commands))
	}
	first, err := openKept(s, &record{Seed: s.seed})
	if err != nil {
		t.Fatal(err)
	}
	first.add(result{Command: all[0].command(s), Name: all[0].name, Commit: "abc", Counts: tally.Counts{OK: 5}})
	first.add(result{Command: all[1].command(s), Problem: "interrupted"})
	again, err := openKept(s, &record{Seed: s.seed})
	if err != nil {
		t.Fatal(err)
	}
	if x, found := again.find(all[0].command(s)); !found || x.Counts.OK != 5 || x.Commit != "abc" {
		t.Errorf("what went well is %+v, %v", x, found)
	}
	if _, found := again.find(all[1].command(s)); found {
		t.Error("what went wrong is not run again")
	}
	if err := again.forget(s); err != nil {
		t.Fatal(err)
	}
	if fresh, err := openKept(s, &record{Seed: s.seed}); err != nil || len(fresh.now.Rigs) != 0 {
		t.Errorf("when the page is written, %+v is left: %v", fresh, err)
	}
	s.full = false
	if k, err := openKept(s, &record{Seed: s.seed}); err != nil || k.path != "" {
		t.Errorf("a run of a tenth keeps %q: %v", k.path, err)
	}
}
