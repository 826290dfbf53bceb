package storetest

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"

	"example.com/tq"
)

// The fence of one task as somebody sees it who can only ask: who may settle,
// and what is answered to all others (spec S4 to S6, S20). It is written apart
// from tq.Next on purpose.

// fenceAsk is one thing that was asked of a task, at the epoch of a token.
type fenceAsk struct {
	what  tq.Event
	epoch int64
	body  string
}

func (a fenceAsk) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s at epoch %d %s", a.what, a.epoch, a.body))
}

// fenceAnswer is what came back.
type fenceAnswer string

const (
	taken    fenceAnswer = "taken"
	late     fenceAnswer = "taken late"
	replayed fenceAnswer = "replayed"
	settled  fenceAnswer = "already settled"
	lost     fenceAnswer = "lease lost"
)

func answerOf(c tq.Changed) fenceAnswer {
	switch code := tq.CodeOf(c.Err); {
	case code == tq.CodeLeaseLost:
		return lost
	case code == tq.CodeAlreadySettled:
		return settled
	case c.Err != nil:
		return fenceAnswer(c.Err.Error())
	case c.Replayed:
		return replayed
	case c.Late:
		return late
	}
	return taken
}

// fence is where a task stands. Its zero value is a fresh one.
type fence struct {
	epoch  int64
	held   bool
	lapsed bool // the lease ran out and nobody has claimed since
	over   bool // completed
	ends   string
}

// end of an attempt as it was reported, "" when it was not.
func (f fence) end(epoch int64) string {
	_, rest, found := strings.Cut(f.ends, fmt.Sprintf("|%d=", epoch))
	if !found {
		return ""
	}
	report, _, _ := strings.Cut(rest, "|")
	return report
}

func fenceModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return fence{} },
		Step: func(state, input, output any) (bool, any) {
			next, answer := state.(fence).ask(input.(fenceAsk))
			return answer == output.(fenceAnswer), next
		},
	}
}

// ask is the fence after one question, and its answer.
func (f fence) ask(a fenceAsk) (fence, fenceAnswer) {
	holds := f.held && a.epoch == f.epoch
	switch a.what {
	case tq.EventClaim:
		if f.held || f.over || a.epoch != f.epoch+1 {
			return f, "not claimable"
		}
		f.epoch, f.held, f.lapsed = a.epoch, true, false
		return f, taken
	case tq.EventExpire:
		if !holds {
			return f, "nothing to expire"
		}
		f.held, f.lapsed = false, true
		return f, taken
	case tq.EventHeartbeat:
		if !holds {
			return f, lost
		}
		return f, taken
	}
	return f.settle(a, holds)
}

func (f fence) settle(a fenceAsk, holds bool) (fence, fenceAnswer) {
	report := string(a.what) + a.body
	before := f.end(a.epoch)
	afterwards := f.lapsed && a.epoch == f.epoch && a.what == tq.EventComplete
	switch {
	case before == report:
		return f, replayed
	case before != "":
		return f, settled
	case !holds && !afterwards:
		return f, lost
	}
	answer := taken
	if !holds {
		answer = late
	}
	f.ends += fmt.Sprintf("|%d=%s", a.epoch, report)
	f.held, f.lapsed, f.over = false, false, a.what == tq.EventComplete
	return f, answer
}
