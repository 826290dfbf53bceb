package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"example.com/tq"
	"example.com/tq/internal/notify"
)

// alertFlags is who is told of dead tasks, by tq worker and tq agent-pool.
type alertFlags struct {
	url, keyFile, format string
}

func (in *alertFlags) define(f *pflag.FlagSet) {
	f.StringVar(&in.url, "alert-url", "", "tell this address of dead tasks")
	f.StringVar(&in.keyFile, "alert-key-file", "", "file with the key for it (or TQ_ALERT_KEY): whsec_… signs webhooks")
	f.StringVar(&in.format, "alert-format", "", "webhook, alertmanager, pap or cloudevents (default webhook)")
}

// notifier is the one that the flags ask for; nil when nobody is to be told.
func (in *alertFlags) notifier(a *app, c tq.Client) (*notify.Notifier, error) {
	if in.url == "" {
		return nil, nil //nolint:nilnil // nobody to tell is no error
	}
	format := notify.Format(or(in.format, string(notify.Webhook)))
	if err := notify.CheckFormat(format); err != nil {
		return nil, usage("alert_format: %w", err)
	}
	if !strings.HasPrefix(in.url, "http://") && !strings.HasPrefix(in.url, "https://") {
		return nil, usage("alert_url: is %q, want http:// or https://", in.url)
	}
	key := a.Getenv("TQ_ALERT_KEY")
	if in.keyFile != "" {
		text, err := os.ReadFile(in.keyFile)
		if err != nil {
			return nil, usage("alert_key_file: %w", err)
		}
		key = string(text)
	}
	return &notify.Notifier{Client: c, URL: in.url, Format: format, Key: []byte(strings.TrimSpace(key)), Log: a.log}, nil
}

// alerting is run beside the one who tells of dead tasks, if there is one.
func (in *alertFlags) alerting(a *app, c tq.Client, run func(context.Context) error) (func(context.Context) error, error) {
	n, err := in.notifier(a, c)
	if err != nil || n == nil {
		return run, err
	}
	return func(ctx context.Context) error { return beside(ctx, n.Run, run) }, nil
}
