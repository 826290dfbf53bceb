package sqlite

import (
	"path/filepath"
	"strings"
	"testing"
)

// What readers ask of a store with millions of tasks must go through an index.
func TestReadersScanNoLargeTable(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{})
	texts := map[string][]string{ // what each may do beside its index
		selectTask: nil, selectPayload: nil, selectBack: nil, selectLease: nil, selectEnd: nil,
		idsAll: nil, someAll: nil, someLane: nil, idsLane: nil, idsParent: nil, idsKey: nil, idsEnded: nil, idsBlocked: nil,
		headsLane: {"SCAN l VIRTUAL"}, headsEnded: {"SCAN l VIRTUAL"}, lanesReady: {"SCAN l VIRTUAL"}, someDue: nil, someLater: nil, allHeld: {"SCAN g"}, selectTree: {"SCAN tree", "TEMP B-TREE FOR GROUP BY"},
		selectFacts: {"SCAN json_each"}, selectLastFacts: {"SCAN json_each"},
		selectTaskFacts: {"SCAN json_each"}, selectLastTaskFacts: {"SCAN json_each"},
		selectActs: {"SCAN json_each"}, selectLastActs: {"SCAN json_each"},
		selectDue: nil, selectHeads: {"SCAN l VIRTUAL", "SCAN h"}, selectRunning: {"SCAN g"},
		auditLast: nil, auditFacts: nil, auditGrant: nil, selectInInbox: nil, auditKey: nil, auditBlock: nil,
		auditEdges: nil, auditTold: nil, selectStanding: nil, nextTask: nil, nextFacts: nil, placesBlocked: nil,
	}
	err := s.read(t.Context(), func(c *conn) error {
		for text, allowed := range texts {
			for _, step := range plan(t, c, text) {
				if costly(step, allowed) || text == allHeld && strings.HasPrefix(step, "SEARCH f") && !strings.Contains(step, "COVERING") {
					t.Errorf("%s\n\tdoes: %s", text, step)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func costly(step string, allowed []string) bool {
	if !strings.Contains(step, "SCAN") && !strings.Contains(step, "TEMP B-TREE") {
		return false
	}
	for _, a := range allowed {
		if strings.Contains(step, a) {
			return false
		}
	}
	return step != "SCAN CONSTANT ROW"
}

func plan(t *testing.T, c *conn, text string) []string {
	t.Helper()
	q := c.sql("explain query plan " + text)
	var steps []string
	for q.next() {
		steps = append(steps, q.colText(3))
	}
	if err := q.end(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return steps
}

func openStore(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "tq.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
