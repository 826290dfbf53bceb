package tq

import "context"

// Copied is a store that can write a copy of itself while it is in use. The copy
// is a new file, as the store was at one moment: what was answered before the
// call is in it, and its journal is a beginning of the store's. A file that is
// there already is refused (invalid). Report hears now and then, from one
// goroutine, how many bytes are written and about how many there will be; it may
// be nil. When ctx ends nothing is left behind.
type Copied interface {
	Backup(ctx context.Context, file string, report func(done, of int64)) error
}
