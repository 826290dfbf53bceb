package mcp

import (
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/tq"
	"example.com/tq/internal/ops"
)

// Refusals: the code, the sentence, and what a model should do next. They are
// results of the tool and not errors of the protocol, so that the model reads
// them.

// refused is a refusal on the wire.
type refused struct {
	Code       tq.Code         `json:"code"`
	Detail     string          `json:"detail"`
	Next       string          `json:"next,omitempty"`
	Hint       string          `json:"hint,omitempty"`
	Errors     []tq.FieldError `json:"errors,omitempty"`
	TaskID     int64           `json:"task_id,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	RetryAfter float64         `json:"retry_after_seconds,omitempty"`
}

// refusal answers err in the tool's own words for fields.
func (s *Server) refusal(t *tool, err error) *sdk.CallToolResult {
	p := ops.ProblemOf(err)
	if p.Code == tq.CodeInternal {
		s.Log.Error("a tool failed", "tool", t.name, "error", err.Error())
	}
	r := refused{
		Code: p.Code, Detail: t.inWords(p.Detail, ": "), Next: s.next(p.Code), Errors: p.Errors,
		TaskID: p.TaskID, Reason: p.Reason, RetryAfter: p.RetryAfter,
	}
	if !strings.Contains(p.Hint, "tq ") { // not one for a shell
		r.Hint = p.Hint
	}
	for i := range r.Errors {
		r.Errors[i].Pointer = "/" + t.inWords(strings.TrimPrefix(r.Errors[i].Pointer, "/"), "")
	}
	b, _ := json.Marshal(r) // plain fields
	text := string(r.Code) + ": " + r.Detail
	for _, more := range []string{r.Hint, r.Next} {
		if more != "" {
			text += "\n" + more
		}
	}
	return &sdk.CallToolResult{
		IsError:           true,
		Content:           []sdk.Content{&sdk.TextContent{Text: text}},
		StructuredContent: json.RawMessage(b),
	}
}

// inWords gives fields the names that the tool knows them by. A field stands
// at the beginning; after ends it in a sentence.
func (t *tool) inWords(text, after string) string {
	for theirs, ours := range t.words {
		if rest, found := strings.CutPrefix(text, theirs+after); found {
			return ours + after + rest
		}
	}
	return text
}

// next says what to do about a code.
func (s *Server) next(c tq.Code) string {
	name := func(tool string) string { return s.Prefix + "_" + tool }
	switch c {
	case tq.CodeLeaseLost:
		return "Stop: the task is no longer yours, somebody else has it or it has ended. Report nothing for it; undo what you can, then " + name("claim") + " the next."
	case tq.CodeAlreadySettled:
		return "This attempt was reported before, with another outcome; that one stands. Go on with " + name("claim") + "."
	case tq.CodeTooLarge:
		return "Nothing changed and the lease is still yours. Put the data elsewhere and send its address or a summary."
	case tq.CodeInvalid:
		return "Nothing changed. Mend the field that is named and call again."
	case tq.CodeNotFound:
		return "Look the id up with " + name("tasks") + "; tasks of other owners and deleted ones are not shown."
	case tq.CodeForbidden, tq.CodeUnauthenticated:
		return "Do not retry: this token may not do that. Tell the person who runs you."
	case tq.CodeInvalidState:
		return "Nothing changed. Read the task's status before you try something else."
	case tq.CodeIdempotencyMismatch:
		return "The key belongs to another task. Use another idempotency_key, or that task."
	case tq.CodeUnknownDependency:
		return "Nothing was enqueued. Enqueue what it waits for first, then name that id."
	case tq.CodeTooMany, tq.CodeUnavailable, tq.CodeOutcomeUnknown:
		return "Wait retry_after_seconds, then send the same call again: repeats are safe."
	}
	return "Try once more; if it fails again, tell the person who runs you."
}
