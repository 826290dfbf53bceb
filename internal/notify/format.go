package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/tq"
)

// Format is the language of a receiver; "" is Webhook.
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
	case "", Webhook, Alertmanager, PAP, CloudEvents:
		return nil
	}
	return fmt.Errorf("is %q, want webhook, alertmanager, pap or cloudevents", f)
}

// speak is what is sent: where to, with which headers, and what.
func (n *Notifier) speak(a *Alert) (to string, headers map[string]string, body any) {
	base := strings.TrimSuffix(n.URL, "/")
	headers = map[string]string{"Content-Type": "application/json"}
	switch n.Format {
	case Alertmanager:
		return base + "/api/v2/alerts", headers, []any{n.alertmanager(a)}
	case PAP:
		word := "dlq"
		if a.Resolved {
			word = "resolve"
		}
		headers["Idempotency-Key"] = fmt.Sprintf("%s-%s-%d", n.app(), word, a.Seq)
		return base + "/api/ingest", headers, n.pap(a)
	case CloudEvents:
		headers["Content-Type"] = "application/cloudevents+json"
		return base, headers, n.cloudEvent(a)
	}
	return n.URL, headers, map[string]any{"type": eventType(a), "timestamp": a.At, "data": a}
}

// sign says who sends: by a signature over id, time and body, or by the key
// itself where the format has no other way.
func (n *Notifier) sign(req *http.Request, a *Alert, body []byte, now time.Time) error {
	if !n.signs() {
		if len(n.Key) > 0 {
			req.Header.Set("Authorization", "Bearer "+string(n.Key))
		}
		return nil
	}
	id, at := "tq-"+eventID(a), strconv.FormatInt(now.Unix(), 10)
	req.Header.Set("webhook-id", id)
	req.Header.Set("webhook-timestamp", at)
	secret, err := n.secret()
	if err != nil || secret == nil {
		return err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

func (n *Notifier) signs() bool { return n.Format == Webhook || n.Format == "" }

// secret is the key of a webhook; nil where nothing is signed.
func (n *Notifier) secret() ([]byte, error) {
	if !n.signs() || len(n.Key) == 0 {
		return nil, nil
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(n.Key), "whsec_"))
	if err != nil || len(secret) < 24 {
		return nil, errors.New("of a webhook is whsec_ and at least 24 bytes in base64")
	}
	return secret, nil
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

// standing is how long an Alertmanager holds an alert that nobody resolves.
// Left to itself it would drop it after minutes.
const standing = 30 * 24 * time.Hour

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
	alert["startsAt"], alert["endsAt"] = a.At, tq.At(a.At.Add(standing))
	return alert
}

// stillDead counts what keeps an Alertmanager's alert firing though one task of
// it is completed: others of the same queue, type and project. Other receivers
// know each task by itself.
func (n *Notifier) stillDead(ctx context.Context, a *Alert) (int64, error) {
	if n.Format != Alertmanager || !a.Resolved {
		return 0, nil
	}
	out, err := n.Client.Stats(ctx, tq.StatsIn{Queue: a.Queue, Type: a.Type, Project: a.Project})
	if err != nil {
		return 0, fmt.Errorf("count what is still dead: %w", err)
	}
	return out.Total.Dead, nil
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
