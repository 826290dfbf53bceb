package telemetry

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/lmittmann/tint"

	"example.com/tq/internal/ops"
)

// Log makes a logger: lines for people on a terminal, JSON otherwise.
func Log(w io.Writer, terminal, color bool, level slog.Leveler) *slog.Logger {
	if terminal {
		return slog.New(tint.NewTextHandler(w, &tint.Options{TimeFormat: time.TimeOnly, NoColor: !color, Level: level}))
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
}

// Logged tells of every Call at the level of debug: which, how long, how it
// ended. Never what was sent or answered.
func Logged(log *slog.Logger, id func(context.Context) string) func(Call) Call {
	return func(next Call) Call {
		return func(ctx context.Context, o *ops.Op, raw []byte) (any, error) {
			began := time.Now()
			out, err := next(ctx, o, raw)
			if log.Enabled(ctx, slog.LevelDebug) {
				log.DebugContext(ctx, o.Name, "request_id", id(ctx), "code", codeOf(ctx, err), "took", time.Since(began))
			}
			return out, err
		}
	}
}
