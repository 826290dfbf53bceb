package agent

import (
	"encoding/json"
	"strings"
)

// Answer is what an agent says of its own work. None of it is believed: the
// gate decides.
type Answer struct {
	Text    string  // its last words
	Session string  // to go on from
	Cost    float64 // US dollars; 0 when it does not say
	Failed  bool    // by its own account, whatever its exit status
	Problem string  // what it says went wrong
}

// readText reads agents that print prose.
func readText(t *transcript) Answer { return Answer{Text: t.out.tail()} }

// readClaude takes the last line of type result. Without a login it says
// subtype success and is_error at once.
func readClaude(t *transcript) Answer {
	var a Answer
	ended := false
	for _, line := range t.lines() {
		var r struct {
			Type      string  `json:"type"`
			Subtype   string  `json:"subtype"`
			IsError   bool    `json:"is_error"`
			Result    string  `json:"result"`
			SessionID string  `json:"session_id"`
			Cost      float64 `json:"total_cost_usd"`
		}
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if r.SessionID != "" {
			a.Session = r.SessionID
		}
		if r.Type != "result" {
			continue
		}
		ended = true
		a.Text, a.Cost = r.Result, r.Cost
		a.Failed = r.IsError || r.Subtype != "success"
		if a.Failed {
			a.Problem = strings.TrimSpace(r.Subtype + ": " + r.Result)
		}
	}
	if !ended {
		a.Failed, a.Problem = true, "it ended without a result"
	}
	return a
}

// readCodex follows a thread: it has done its turn when it says turn.completed.
func readCodex(t *transcript) Answer {
	a := Answer{Failed: true, Problem: "it ended before its turn was completed"}
	for _, line := range t.lines() {
		var r struct {
			Type     string `json:"type"`
			ThreadID string `json:"thread_id"`
			Message  string `json:"message"`
			Item     struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"item"` //nolint:tagliatelle // codex's word
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		switch r.Type {
		case "thread.started":
			a.Session = r.ThreadID
		case "item.completed":
			if r.Item.Type == "agent_message" {
				a.Text = r.Item.Text
			}
		case "turn.completed":
			a.Failed, a.Problem = false, ""
		case "turn.failed":
			a.Failed, a.Problem = true, r.Error.Message
		case "error":
			a.Failed, a.Problem = true, r.Message
		}
	}
	return a
}

// readOpencode adds up the steps.
func readOpencode(t *transcript) Answer {
	var a Answer
	for _, line := range t.lines() {
		var r struct {
			Type      string `json:"type"`
			SessionID string `json:"sessionID"`
			Part      struct {
				Text string  `json:"text"`
				Cost float64 `json:"cost"`
			} `json:"part"`
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if r.SessionID != "" {
			a.Session = r.SessionID
		}
		switch r.Type {
		case "text":
			a.Text = r.Part.Text
		case "step_finish":
			a.Cost += r.Part.Cost
		case "error":
			a.Failed, a.Problem = true, string(r.Error)
		}
	}
	return a
}

// readGemini reads one object, which may stand behind lines of chatter.
func readGemini(t *transcript) Answer {
	var r struct {
		SessionID string `json:"session_id"`
		Response  string `json:"response"`
		Error     *struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	text := t.out.tail()
	start := strings.Index(text, "{")
	if start < 0 || json.Unmarshal([]byte(text[start:]), &r) != nil {
		return Answer{Text: text}
	}
	a := Answer{Text: r.Response, Session: r.SessionID}
	if r.Error != nil {
		a.Failed, a.Problem = true, strings.TrimSpace(r.Error.Type+": "+r.Error.Message)
	}
	return a
}
