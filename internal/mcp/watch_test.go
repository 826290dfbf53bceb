package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.com/tq"
	"example.com/tq/internal/mcp"
)

// told reads the next notification of a stream.
func told(t *testing.T, lines *bufio.Reader) (method, uri string) {
	t.Helper()
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		text, found := strings.CutPrefix(line, "data: ")
		if !found {
			continue
		}
		var n struct {
			Method string
			Params struct{ URI string }
		}
		if err := json.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		return n.Method, n.Params.URI
	}
}

func TestSubscribersHearOfChangesOnceInBothEras(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, nil)
			d.enqueue("news", "0")
			var r *http.Response
			if era == "2026-07-28" {
				c := d.modern("sam")
				body, h := c.request("subscriptions/listen", "", `{"notifications":{"resourceSubscriptions":["tq://queues/news"]}}`)
				r = c.post(t.Context(), body, h)
			} else {
				c := d.legacy("sam")
				r = c.stream()
				if got := c.ask("resources/subscribe", "", `{"uri":"tq://queues/news"}`); got.Error != nil {
					t.Fatalf("subscribe: %+v", got.Error)
				}
			}
			defer func() { _ = r.Body.Close() }() // it goes on
			lines := bufio.NewReader(r.Body)
			if era == "2026-07-28" {
				if m, _ := told(t, lines); m != "notifications/subscriptions/acknowledged" {
					t.Errorf("first came %s", m)
				}
			}
			// The follower may still be on its way: a change that it does not
			// hear of was before it was asked.
			heard := make(chan string, 1)
			go func() {
				m, uri := told(t, lines)
				heard <- m + " " + uri
			}()
			for {
				batch := make([]tq.NewTask, 50)
				for i := range batch {
					batch[i] = tq.NewTask{Type: "task", Queue: "news"}
				}
				if _, err := d.broker.Enqueue(t.Context(), tq.EnqueueIn{Tasks: batch}); err != nil {
					t.Fatal(err)
				}
				if _, err := d.broker.Facts(t.Context(), tq.FactsIn{After: 1 << 40, Wait: tq.Duration(1e8)}); err != nil {
					t.Fatal(err)
				}
				select {
				case got := <-heard:
					if got != "notifications/resources/updated tq://queues/news" {
						t.Errorf("heard %s", got)
					}
					return
				default:
				}
			}
		})
	}
}

// stream opens the stream on which a session hears of things.
func (c *client) stream() *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.url, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", c.session)
	req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	req.Header.Set(who, c.name)
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	if r.StatusCode != http.StatusOK {
		c.t.Fatalf("the stream is answered %s", r.Status)
	}
	return r
}

func TestStreamsAreHeldToTheirPlaces(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil, func(o *mcp.Options) {
		o.Place = func(context.Context) (func(), error) {
			return nil, tq.Errorf(tq.CodeTooMany, "too many calls are waiting")
		}
	})
	c := d.modern("sam")
	body, h := c.request("subscriptions/listen", "", `{"notifications":{"resourceSubscriptions":["tq://queues"]}}`)
	r := c.post(t.Context(), body, h)
	defer d.close(r)
	if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
		t.Errorf("one stream too many is answered %s", r.Status)
	}
	c.must("tq_tasks", "{}", "no tasks") // all else goes on
}

func TestResourcesShowWhatTheirReaderMaySee(t *testing.T) {
	t.Parallel()
	d := newDesk(t, rights{"shop": {Can: []tq.Scope{tq.CanRead}, Queues: []string{"shop:*"}, Types: []string{"*"}}})
	d.enqueue("shop:tasks", `{"a": 1}`)
	d.enqueue("secret", "2")
	c := d.modern("shop")
	read := func(uri string) reply { return c.ask("resources/read", uri, `{"uri":"`+uri+`"}`) }
	for uri, want := range map[string]string{
		"tq://queues": `\"queue\":\"shop:tasks\"`, "tq://queues/shop:tasks": `\"ready\":1`, "tq://tasks/1": `{\"a\": 1}`,
	} {
		if r := read(uri); !strings.Contains(string(r.Result), want) || strings.Contains(string(r.Result), "secret") {
			t.Errorf("%s: want %s in %s", uri, want, r.Result)
		}
	}
	for _, uri := range []string{"tq://queues/secret", "tq://tasks/2", "tq://tasks/x", "tq://nothing"} {
		if r := read(uri); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("%s is answered %+v, want -32602", uri, r)
		}
	}
	if r := c.ask("resources/list", "", "{}"); !strings.Contains(string(r.Result), "tq://queues/shop:tasks") || strings.Contains(string(r.Result), "secret") {
		t.Errorf("the list is %s", r.Result)
	}
	propose := `{"ref":{"type":"ref/prompt","name":"worker"},"argument":{"name":"queue","value":"s"}}`
	if r := c.ask("completion/complete", "", propose); !strings.Contains(string(r.Result), `"values":["shop:tasks"]`) {
		t.Errorf("proposed is %s %+v", r.Result, r.Error)
	}
	if r := c.ask("subscriptions/listen", "", `{"notifications":{"resourceSubscriptions":["tq://queues/secret"]}}`); r.Error == nil {
		t.Error("a queue out of reach can be listened to")
	}
}
