package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"example.com/tq"
	httpexec "example.com/tq/exec/http"
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
	key := a.Getenv("TQ_ALERT_KEY")
	if in.keyFile != "" {
		text, err := os.ReadFile(in.keyFile)
		if err != nil {
			return nil, usage("alert_key_file: %w", err)
		}
		key = string(text)
	}
	n := &notify.Notifier{
		Client: c, URL: in.url, Format: notify.Format(in.format), Key: []byte(strings.TrimSpace(key)), Log: a.log,
		Guard: guardRedirect,
	}
	if err := n.Check(); err != nil {
		return nil, usage("alert_%w", err)
	}
	return n, nil
}

// guardRedirect lets a receiver redirect to the public internet only: what the
// operator has typed may be anywhere, what it answers may not.
func guardRedirect(network, address string, c syscall.RawConn) error {
	err := httpexec.Guard{}.Control(network, address, c)
	var refused *httpexec.Refusal
	if errors.As(err, &refused) {
		return fmt.Errorf("address %s is refused (%s); give --alert-url the address it is to be", refused.Address, refused.Why)
	}
	return err
}

// alerting is run beside the one who tells of dead tasks, if there is one.
func (in *alertFlags) alerting(a *app, c tq.Client, run func(context.Context) error) (func(context.Context) error, error) {
	n, err := in.notifier(a, c)
	if err != nil || n == nil {
		return run, err
	}
	return func(ctx context.Context) error { return beside(ctx, n.Run, run) }, nil
}
