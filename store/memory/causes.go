package memory

import (
	"context"

	tq "example.com/tq"
)

// Causes counts dead tasks by what they died of. It looks at each; an engine
// with a disk keeps an index.
func (s *Store) Causes(ctx context.Context, q tq.CauseQuery) (tq.Causes, error) {
	var out tq.Causes
	err := s.read(ctx, func(now tq.Time) {
		var dead []tq.Task
		for _, t := range s.tasks {
			if t.state.Status == tq.Dead {
				dead = append(dead, s.view(t, now, false))
			}
		}
		out.Name(&q, dead)
	})
	return out, err
}
