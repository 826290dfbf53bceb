package tq

import "context"

// Copied is a store that can write a copy of itself while it is in use. The copy
// is a new file, as the store was at one moment: what was answered before the
// call is in it, and its journal is a beginning of the store's. A file that is
// there already is refused (invalid).
type Copied interface {
	Backup(ctx context.Context, file string) error
}
