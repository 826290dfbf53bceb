package postgres

import (
	"encoding/json"
	"slices"

	"example.com/tq"
)

// How words of the hall are written in the tables: statuses, kinds and policies
// as small numbers, details as JSON. Times are tq.Time.Milli.

// statusCode is the number of a status: 1 blocked … 6 cancelled.
func statusCode(s tq.Status) int16 { return int16(slices.Index(tq.Statuses(), s) + 1) }

// statusOf answers pending for 0: a task in the inbox has no fact yet.
func statusOf(code int16) tq.Status {
	if all := tq.Statuses(); code >= 1 && int(code) <= len(all) {
		return all[code-1]
	}
	return tq.Pending
}

func kindCode(k tq.Kind) int16 { return int16(slices.Index(tq.Kinds(), k) + 1) }

func kindOf(code int16) tq.Kind {
	if all := tq.Kinds(); code >= 1 && int(code) <= len(all) {
		return all[code-1]
	}
	return ""
}

func policies() []tq.OnDepFailure {
	return []tq.OnDepFailure{tq.DepBlock, tq.DepCancel, tq.DepRun}
}

func policyCode(p tq.OnDepFailure) int16 { return int16(max(0, slices.Index(policies(), p))) }

func policyOf(code int16) tq.OnDepFailure {
	if all := policies(); code >= 0 && int(code) < len(all) {
		return all[code]
	}
	return tq.DepBlock
}

func keyUntilCode(k tq.KeyUntil) int16 {
	if k == tq.KeyUntilTerminal {
		return 1
	}
	return 0
}

func keyUntilOf(code int16) tq.KeyUntil {
	if code == 1 {
		return tq.KeyUntilTerminal
	}
	return tq.KeyUntilDeleted
}

// readJSON fills v from a column that we wrote; empty leaves it alone.
func readJSON(text string, v any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), v)
}

func list(words []string) []string {
	if words == nil {
		return []string{}
	}
	return words
}
