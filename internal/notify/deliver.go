package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/tq"
)

// Format is the language of a receiver.
type Format string

// The formats.
const (
	Webhook      Format = "webhook" // Standard Webhooks 1.0, the default
	Alertmanager Format = "alertmanager"
	PAP          Format = "pap" // PapDashboard
	CloudEvents  Format = "cloudevents"
)

// CheckFormat refuses what is none of them.
func CheckFormat(f Format) error {
	switch f {
	case Webhook, Alertmanager, PAP, CloudEvents:
		return nil
	}
	return fmt.Errorf("is %q, want webhook, alertmanager, pap or cloudevents", f)
}

const (
	deliverTime = 30 * time.Second
	answerShown = 500
)

func (n *Notifier) client() *http.Client {
	if n.HTTP != nil {
		return n.HTTP
	}
	return &http.Client{
		Timeout:       deliverTime,
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// deliver sends one alert. A receiver that is gone (410) or does not understand
// it is not asked again; one that wants us to wait burns no attempt.
func (n *Notifier) deliver(ctx context.Context, t *tq.Task) (json.RawMessage, error) {
	var a Alert
	if err := json.Unmarshal(t.Payload, &a); err != nil {
		return nil, tq.Permanent(fmt.Errorf("read the alert: %w", err))
	}
	req, err := n.request(ctx, &a, time.Now())
	if err != nil {
		return nil, tq.Permanent(err)
	}
	res, err := n.client().Do(req)
	if err != nil {
		return nil, fmt.Errorf("deliver the alert: %w", err)
	}
	defer func() { _ = res.Body.Close() }()                      // read only
	said, _ := io.ReadAll(io.LimitReader(res.Body, answerShown)) // what came is all there is
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		return json.Marshal(map[string]int{"status": code})
	case code == http.StatusTooManyRequests:
		return nil, fmt.Errorf("the receiver answers %s: %w", res.Status, tq.RateLimited(retryAfter(res)))
	case code >= 300 && code < 400:
		return nil, tq.Permanent(fmt.Errorf("the receiver answers %s and redirects, which is not followed", res.Status))
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly:
		return nil, fmt.Errorf("the receiver answers %s: %s", res.Status, said)
	}
	return nil, tq.Permanent(fmt.Errorf("the receiver answers %s: %s", res.Status, said))
}

func retryAfter(res *http.Response) time.Duration {
	const usual, longest = time.Minute, time.Hour
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds <= 0 {
		return usual
	}
	return min(time.Duration(seconds)*time.Second, longest)
}

func (n *Notifier) request(ctx context.Context, a *Alert, now time.Time) (*http.Request, error) {
	url := strings.TrimSuffix(n.URL, "/")
	var body any
	headers := map[string]string{"Content-Type": "application/json"}
	switch n.Format {
	case Alertmanager:
		url, body = url+"/api/v2/alerts", []any{n.alertmanager(a)}
	case PAP:
		url, body = url+"/api/ingest", n.pap(a)
		word := "dlq"
		if a.Resolved {
			word = "resolve"
		}
		headers["Idempotency-Key"] = fmt.Sprintf("%s-%s-%d", n.app(), word, a.Seq)
	case CloudEvents:
		body = n.cloudEvent(a)
		headers["Content-Type"] = "application/cloudevents+json"
	default:
		url, body = n.URL, map[string]any{"type": eventType(a), "timestamp": a.At, "data": a}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return req, n.sign(req, a, text, now)
}

// sign says who sends: by a signature over id, time and body, or by the key
// itself where the format has no other way.
func (n *Notifier) sign(req *http.Request, a *Alert, body []byte, now time.Time) error {
	if n.Format != Webhook && n.Format != "" {
		if len(n.Key) > 0 {
			req.Header.Set("Authorization", "Bearer "+string(n.Key))
		}
		return nil
	}
	id, at := "tq-"+eventID(a), strconv.FormatInt(now.Unix(), 10)
	req.Header.Set("webhook-id", id)
	req.Header.Set("webhook-timestamp", at)
	if len(n.Key) == 0 {
		return nil
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(n.Key), "whsec_"))
	if err != nil || len(secret) < 24 {
		return errors.New("the key of a webhook is whsec_ and at least 24 bytes in base64")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

func (n *Notifier) app() string {
	if n.App != "" {
		return n.App
	}
	return "tq"
}

func eventID(a *Alert) string {
	id := fmt.Sprintf("%d-%d", a.TaskID, a.Seq)
	if a.Resolved {
		return id + "-resolved"
	}
	return id
}

func eventType(a *Alert) string {
	if a.Resolved {
		return "task.resolved"
	}
	return "task.dead"
}

func title(a *Alert) string {
	if a.Resolved {
		return fmt.Sprintf("task %d (%s in %s) is completed after all", a.TaskID, a.Type, a.Queue)
	}
	return fmt.Sprintf("task %d (%s in %s) is dead", a.TaskID, a.Type, a.Queue)
}

// alertmanager keeps labels free of ids: they say which alert it is.
func (n *Notifier) alertmanager(a *Alert) any {
	labels := map[string]string{"alertname": "TqTaskDead", "queue": a.Queue, "task_type": a.Type, "severity": "critical"}
	if a.Project != "" {
		labels["project"] = a.Project
	}
	alert := map[string]any{
		"labels":      labels,
		"annotations": map[string]string{"summary": title(a), "description": a.Error},
	}
	if a.Resolved {
		alert["endsAt"] = a.At
		return alert
	}
	alert["startsAt"] = a.At
	return alert
}

func (n *Notifier) pap(a *Alert) any {
	id := strconv.FormatInt(a.TaskID, 10)
	kind := "alert.triggered"
	payload := map[string]any{"title": title(a), "body": a.Error, "sourceApp": n.app()}
	if a.Resolved {
		kind, payload["resolvedBy"] = "alert.resolved", n.app()
	} else {
		payload["severity"] = "critical"
		payload["metadata"] = map[string]any{"taskType": a.Type, "attempts": a.Attempts}
	}
	return map[string]any{
		"type": kind, "aggregateId": id, "payload": payload,
		"metadata": map[string]string{
			"correlationId": id, "causationId": strconv.FormatInt(a.Seq, 10), "userId": "", "sourceApp": n.app(),
		},
	}
}

func (n *Notifier) cloudEvent(a *Alert) any {
	return map[string]any{
		"specversion": "1.0", "id": eventID(a), "source": "/" + n.app(), "type": "dev.tq." + eventType(a),
		"subject": strconv.FormatInt(a.TaskID, 10), "time": a.At, "datacontenttype": "application/json", "data": a,
	}
}
