package tq

// Worker claims tasks and runs them.
type Worker struct{}

// Handle registers the executor of a type.
func (w *Worker) Handle(kind string, x Executor) {}
