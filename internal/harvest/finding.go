package harvest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Finding is what a tool reports of a file, or a test that fails.
type Finding struct {
	Tool, Rule string
	File       string // inside the repository; of a test that fails, where it stands if that is known
	Line       int
	Level      string // critical, error, warning or info
	Message    string
	Print      string // what tells it from others, but for the line
}

// levels in their order, with the words that other tools use.
func rank(level string) int {
	switch level {
	case "critical":
		return 4
	case "error":
		return 3
	case "warning", "":
		return 2
	}
	return 1 // info, note, none
}

// CheckLevel refuses a severity that nothing has.
func CheckLevel(level string) error {
	if slices.Contains([]string{"critical", "error", "warning", "info"}, level) {
		return nil
	}
	return fmt.Errorf("is %q, want critical, error, warning or info", level)
}

// sarif is what is read of a SARIF 2.1.0 file.
type sarif struct {
	Version string `json:"version"`
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string `json:"name"`
				Rules []struct {
					ID                   string `json:"id"`
					DefaultConfiguration struct {
						Level string `json:"level"`
					} `json:"defaultConfiguration"`
				} `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	} `json:"runs"`
}

type sarifResult struct {
	RuleID    string `json:"ruleId"`
	RuleIndex *int   `json:"ruleIndex"`
	Kind      string `json:"kind"`
	Level     string `json:"level"`
	Message   struct {
		Text string `json:"text"`
	} `json:"message"`
	Locations []struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine int `json:"startLine"`
				Snippet   struct {
					Text string `json:"text"`
				} `json:"snippet"`
			} `json:"region"`
		} `json:"physicalLocation"`
	} `json:"locations"`
	Prints       map[string]string `json:"partialFingerprints"`
	FullPrints   map[string]string `json:"fingerprints"`
	Baseline     string            `json:"baselineState"`
	Suppressions []json.RawMessage `json:"suppressions"`
}

// SARIF reads the findings of a SARIF file that stand: those that failed, are
// not suppressed and not absent.
func SARIF(source []byte) ([]Finding, error) {
	var s sarif
	if err := json.Unmarshal(source, &s); err != nil {
		return nil, fmt.Errorf("is not SARIF: %w", err)
	}
	if !strings.HasPrefix(s.Version, "2.") {
		return nil, fmt.Errorf("is SARIF of version %q, want 2.1.0", s.Version)
	}
	var all []Finding
	for _, run := range s.Runs {
		usual := map[string]string{}
		for _, rule := range run.Tool.Driver.Rules {
			usual[rule.ID] = rule.DefaultConfiguration.Level
		}
		for _, r := range run.Results {
			if r.RuleID == "" && r.RuleIndex != nil && *r.RuleIndex >= 0 && *r.RuleIndex < len(run.Tool.Driver.Rules) {
				r.RuleID = run.Tool.Driver.Rules[*r.RuleIndex].ID
			}
			if f, stands := r.finding(run.Tool.Driver.Name, usual[r.RuleID]); stands {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

func (r *sarifResult) finding(tool, usual string) (Finding, bool) {
	if r.Kind != "" && r.Kind != "fail" || r.Baseline == "absent" || len(r.Suppressions) > 0 || len(r.Locations) == 0 {
		return Finding{}, false
	}
	at := r.Locations[0].Physical
	file, err := url.PathUnescape(strings.TrimPrefix(at.Artifact.URI, "./"))
	if err != nil || !filepath.IsLocal(file) {
		return Finding{}, false
	}
	f := Finding{
		Tool: tool, Rule: r.RuleID, File: file, Line: at.Region.StartLine,
		Level: or(or(r.Level, usual), "warning"), Message: r.Message.Text,
	}
	for _, prints := range []map[string]string{r.FullPrints, r.Prints} {
		for name, print := range prints {
			f.Print = max(f.Print, name+"="+print)
		}
	}
	f.Print = or(f.Print, or(at.Region.Snippet.Text, r.Message.Text))
	return f, true
}

// junitSuite is a test suite of a JUnit report; suites nest.
type junitSuite struct {
	Suites []junitSuite `xml:"testsuite"`
	Cases  []struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr"`
		Failure *junitFailure `xml:"failure"`
		Error   *junitFailure `xml:"error"`
	} `xml:"testcase"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit reads the tests that fail in a JUnit report.
func JUnit(source []byte) ([]Finding, error) {
	var top junitSuite
	if err := xml.Unmarshal(source, &top); err != nil {
		return nil, fmt.Errorf("is not a JUnit report: %w", err)
	}
	var all []Finding
	collect(&all, &top, 0)
	return all, nil
}

func collect(all *[]Finding, s *junitSuite, depth int) {
	const deepest = 20
	for _, c := range s.Cases {
		failure := c.Failure
		if failure == nil {
			failure = c.Error
		}
		if failure == nil {
			continue
		}
		name := strings.TrimPrefix(c.Class+"."+c.Name, ".")
		*all = append(*all, Finding{
			Tool: "junit", Rule: name, File: c.File, Level: "error", Print: name,
			Message: strings.TrimSpace(failure.Message + "\n" + failure.Text),
		})
	}
	for i := range s.Suites {
		if depth < deepest {
			collect(all, &s.Suites[i], depth+1)
		}
	}
}

// fix is one task's worth of findings: those of one file, or one failing test.
type fix struct {
	source string // file of the report
	name   string // file or test
	key    string
	scan   string // of the report: the same one twice tells nothing new
	all    []Finding
}

// fixes groups findings of at least that level.
func fixes(repo, source, kind string, report []byte, all []Finding, floor string) []fix {
	groups := map[string][]Finding{}
	for _, f := range all {
		name := f.File
		if kind == "junit" {
			name = f.Rule
		}
		if rank(f.Level) >= rank(floor) && name != "" {
			groups[name] = append(groups[name], f)
		}
	}
	var out []fix
	for name, group := range groups {
		x := fix{source: source, name: name, all: group, scan: "scan:" + digest(string(report))}
		prints := make([]string, len(group))
		for i, f := range group {
			prints[i] = f.Tool + "\x00" + f.Rule + "\x00" + f.Print
		}
		slices.Sort(prints)
		x.key = kind + ":" + digest(append([]string{repo, name}, slices.Compact(prints)...)...)
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b fix) int { return strings.Compare(a.name, b.name) })
	return out
}

// digest is 16 hex digits of the SHA-256 of texts with a NUL between them.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// prompt asks for the findings of one fix.
func (x *fix) prompt() string {
	const shown, limit = 50, 2000
	var b strings.Builder
	fmt.Fprintf(&b, "Fix what %s reports of %s. Do not silence the report: mend its cause.\n", x.source, x.name)
	for i, f := range x.all {
		if i == shown {
			fmt.Fprintf(&b, "… and %d more of the same file\n", len(x.all)-shown)
			break
		}
		text := f.Message
		if len(text) > limit {
			text = strings.ToValidUTF8(text[:limit], "") + "…"
		}
		fmt.Fprintf(&b, "- line %d, %s %s (%s): %s\n", f.Line, f.Tool, f.Rule, f.Level, text)
	}
	return b.String()
}
