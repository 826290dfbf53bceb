package tq_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/tq"
)

type resize struct {
	Path  string `json:"path"`
	Width int64  `json:"width"`
}

func (resize) Kind() string { return "resize" }

type resized struct {
	Bytes int64 `json:"bytes"`
}

func TestTypedHandlerDecodesArgsAndEncodesItsAnswer(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(
			tq.NewTask{Type: "resize", Payload: json.RawMessage(`{"path":"a.png","width":9007199254740993}`)},
			tq.NewTask{Type: "resize"},
			tq.NewTask{Type: "resize", Payload: json.RawMessage(`[]`)},
		)
		w := y.worker(1, nothing)
		tq.Handle(w, func(_ context.Context, task *tq.Task, args resize) (resized, error) {
			if task.Payload == nil && args != (resize{}) {
				y.t.Errorf("without a payload the args are %+v", args)
			}
			return resized{Bytes: args.Width}, nil
		})
		stop := y.run(w)
		pass(time.Second)
		y.want(tq.Completed, 1, ids[:2]...)
		if got := string(y.task(ids[0]).Result); got != `{"bytes":9007199254740993}` {
			y.t.Errorf("result %s", got)
		}
		if task := y.task(ids[2]); task.Status != tq.Dead || !strings.Contains(task.LastError, "decode payload of type resize") {
			y.t.Errorf("a payload that does not decode left the task %s: %q, want dead", task.Status, task.LastError)
		}
		y.stopped(stop)
	})
}

func TestTypedHandlerHandsItsErrorOn(t *testing.T) {
	inYard(t, func(y *yard) {
		ids := y.add(tq.NewTask{Type: "resize"})
		w := y.worker(1, nothing)
		tq.Handle(w, func(context.Context, *tq.Task, resize) (resized, error) {
			return resized{}, tq.Permanent(errors.New("no such picture"))
		})
		stop := y.run(w)
		pass(time.Second)
		if task := y.task(ids[0]); task.Status != tq.Dead || task.LastError != "no such picture" || task.Result != nil {
			y.t.Errorf("the task is %s: %q, result %s", task.Status, task.LastError, task.Result)
		}
		y.stopped(stop)
	})
}

func TestPermanentOfNilIsNil(t *testing.T) {
	t.Parallel()
	if err := tq.Permanent(nil); err != nil {
		t.Errorf("Permanent(nil) is %v", err)
	}
}
