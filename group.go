package tq

import (
	"context"
	"errors"
	"sync"
)

// runAll runs background parts until ctx ends or one of them returns; then it
// ends the others, waits for all and returns what went wrong. A part that
// returns because ctx ended is not wrong.
func runAll(ctx context.Context, parts ...func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, part := range parts {
		wg.Go(func() {
			defer stop()
			if err := part(ctx); !errors.Is(err, context.Canceled) {
				errs[i] = err
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
