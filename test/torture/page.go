//go:build linux

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/tq/test/tally"
)

// The page: every figure in it is computed here from the record.

const pageHead = `# How it holds

<!-- Written by ` + "`make torture`" + ` from reliability.json: run it again instead of editing. -->

tq says of itself that an acknowledged task is not lost, that a lease has one holder, and that whoever lost his lease cannot settle. Here is what was done to break that, and what was counted. A rig is a test of this repository that breaks something on purpose while callers work; it counts by itself, and this page is written from its counts.

`

const legend = `What the columns mean; they are Jepsen's, and three of our own:

- **faults**: how often something was broken on purpose.
- **attempted**: what callers asked for; **acknowledged**: what they were told is done; **ok**: what was looked for afterwards and found as it should be.
- **unexpected**: what no rule allows, be it a wrong answer, a broken invariant or a history that fits no order of events.
- **duplicated**: runs of a task beyond its first. Tasks run at least once, so a killed worker's task runs again; its result is kept once.
- **lost**: acknowledged and not found.
- **recovered**: found, though its caller died or was cut off before it was told.
- **unknown**: calls whose caller could not know how they ended. They are repeated with the same key or token, and then answered.
- **stale taken**, **stale refused**: settles by somebody whose lease had gone to another, or had been settled.
- **control lost**: what a store lost that does not wait for its disk, on the same disk under the same cuts. Were it nothing, the rig would show nothing.

Lost, unexpected and stale taken must be 0.
`

const limits = `## What this does not show

- Disks that lie about what they have written. Without a disk that keeps its word no store is durable.
- A log damaged after a part of it was moved into the database: then the database needs all of that part, and a backup is what helps. The rig of campaign 9 damages logs from which nothing has been moved.
- Damage in the database file itself. ` + "`tq check`" + ` finds what contradicts the rules; a backup brings it back.
- Campaign 10, the soak of hours, which is not in this run.

`

// page is the text of the page: a run of a tenth of the figures, with what each
// rig does, and one of all of them; nil is one that was not made.
func page(tenth, full *record, peer *stale) string {
	var b strings.Builder
	b.WriteString(pageHead)
	if tenth != nil {
		tenth.summary(&b, "All campaigns", "a tenth of the figures that we aim at")
		b.WriteString(legend)
	}
	if full != nil {
		b.WriteString("\n")
		full.summary(&b, "All of the figures", "all of the figures that we aim at")
		if names := full.missing(); len(names) > 0 {
			fmt.Fprintf(&b, "\nIt takes hours, in several sittings. Not run yet, or not well: %s.\n\n", strings.Join(names, "; "))
		}
		b.WriteString(full.rigTable())
	}
	if tenth != nil {
		numbers, _ := tenth.sums()
		for _, n := range numbers {
			tenth.campaign(&b, n)
		}
	}
	b.WriteString("\n" + peer.section() + limits)
	b.WriteString("## Run it\n\nIt takes half an hour, Linux and root, since it mounts file systems and makes network namespaces (and is not run here).\n\n```sh not-run\nmake torture        # a tenth of the figures\nmake torture-full   # all of them: hours; goes on where it was interrupted\nmake torture-full MISSING=1   # what the record beside this page has no good run of\nmake torture SEED=7 ONLY=3,9\n```\n\n")
	if tenth != nil {
		b.WriteString("Each rig alone, not run here either:\n\n```sh not-run\n")
		for _, x := range tenth.Rigs {
			fmt.Fprintf(&b, "%s\n", x.Command)
		}
		b.WriteString("```\n")
	}
	return b.String()
}

func (r *record) summary(b *strings.Builder, title, share string) {
	fmt.Fprintf(b, "## %s\n\n%s, tq at %s, seed %d; %s; %s, %s.\n\n%s\n", title, r.days(), r.commits(), r.Seed, share,
		r.machines(), time.Duration(r.Seconds*float64(time.Second)).Round(time.Second), r.table())
}

// rigTable has a row for each rig, in the order of the list and not that of the
// sittings.
func (r *record) rigTable() string {
	var b strings.Builder
	b.WriteString(header("rig"))
	all, place := slices.Clone(r.Rigs), map[string]int{}
	for i, x := range rigs(true) {
		place[x.name] = i
	}
	slices.SortStableFunc(all, func(a, b result) int { return cmp.Compare(place[a.Name], place[b.Name]) })
	for _, x := range all {
		name := fmt.Sprintf("%d %s", x.Campaign, x.Name)
		if x.bad() {
			name += fmt.Sprintf(". **This run failed**: %s", cmp.Or(x.Problem, "see the counts"))
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, cells(&x.Counts))
	}
	return b.String()
}

const columns = "faults | attempted | acknowledged | ok | unexpected | duplicated | lost | recovered | unknown | stale taken | stale refused | control lost"

// cells are the counts in the order of columns.
func cells(c *tally.Counts) string {
	var all []string
	for _, n := range []int{
		c.Faults, c.Attempted, c.Acknowledged, c.OK, c.Unexpected, c.Duplicated, c.Lost, c.Recovered, c.Indeterminate,
		c.StaleAccepted, c.StaleRefused, c.ControlLost,
	} {
		all = append(all, thousands(n))
	}
	return strings.Join(all, " | ")
}

func header(first string) string {
	return fmt.Sprintf("| %s | %s |\n|---|%s\n", first, columns, strings.Repeat("---:|", strings.Count(columns, "|")+1))
}

// table has a row for each campaign.
func (r *record) table() string {
	var b strings.Builder
	b.WriteString(header("campaign"))
	numbers, sums := r.sums()
	for _, n := range numbers {
		c := sums[n]
		fmt.Fprintf(&b, "| %d %s | %s |\n", n, campaigns()[n], cells(&c))
	}
	return b.String()
}

// campaign tells one by its rigs.
func (r *record) campaign(b *strings.Builder, n int) {
	fmt.Fprintf(b, "\n## %d %s\n\n%s", n, campaigns()[n], header("rig"))
	var about strings.Builder
	for _, x := range r.Rigs {
		if x.Campaign != n {
			continue
		}
		fmt.Fprintf(b, "| %s | %s |\n", x.Name, cells(&x.Counts))
		fmt.Fprintf(&about, "- **%s**: %s; %.0f s", x.Name, x.About, x.Seconds)
		if x.Counts.Longest > 0 {
			fmt.Fprintf(&about, ", slowest recovery %s", x.Counts.Longest.Round(time.Millisecond))
		}
		if x.bad() {
			fmt.Fprintf(&about, ". **This run failed**: %s", cmp.Or(x.Problem, "see the counts"))
		}
		about.WriteString(".\n")
	}
	b.WriteString("\n" + about.String())
}

// thousands writes a number in groups of three digits, and 0 as 0.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// stale is what bench/peers found: what a queue answers a worker that settles a
// task which another worker has taken over.
type stale struct {
	Made    string      `json:"made"`
	Commit  string      `json:"commit"`
	Command string      `json:"command"`
	Rows    []staleLine `json:"rows"`
}

type staleLine struct {
	System   string `json:"system"`
	Version  string `json:"version"`
	Answered string `json:"answered"` // to the first worker
	Kept     string `json:"kept"`     // whose result the task has at the end
	Taken    bool   `json:"taken"`    // the stale settle was
}

const staleName = "stale.json"

// readStale is nil when nothing was measured.
func readStale(dir string) (*stale, error) {
	text, err := os.ReadFile(filepath.Join(dir, staleName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing was measured
	}
	if err != nil {
		return nil, err
	}
	var s stale
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("read %s: %w", staleName, err)
	}
	return &s, nil
}

func (s *stale) section() string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("## A worker that comes back\n\nA worker takes a task and stands still for longer than the queue waits. Another worker is given the task. Then the first one wakes up and settles it while the second is still at work.\n\n")
	b.WriteString("| system | version | the first worker is told | the task then is |\n|---|---|---|---|\n")
	for _, x := range s.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", x.System, x.Version, x.Answered, x.Kept)
	}
	fmt.Fprintf(&b, "\nMeasured on %s at %s by this, which is not run here:\n\n```sh not-run\n%s\n```\n\n", s.Made, s.Commit, s.Command)
	return b.String()
}
