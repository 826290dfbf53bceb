package sqlite

// The table meta: what the store remembers of itself, by name.
const (
	metaSecret = "secret" // signs lease tokens
	metaSeq    = "seq"    // no seq up to this is given out again

	// How far the journal was walked for what is kept no longer (retain.go).
	metaCompleted = "kept_completed"
	metaCancelled = "kept_cancelled"
	metaDead      = "kept_dead"
	metaDeleted   = "kept_deleted"
)

const (
	selectMeta = `select value from meta where name = ?`
	upsertMeta = `insert into meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value`
)

// metaInt reads a number; 0 when it was never written.
func (c *conn) metaInt(name string) (int64, error) {
	q := c.sql(selectMeta).text(name)
	var n int64
	if q.next() {
		n = q.colInt(0)
	}
	return n, q.end()
}

func (c *conn) setMetaInt(name string, n int64) error {
	return c.sql(upsertMeta).text(name).int(n).exec()
}

// metaBytes reads bytes; nil when they were never written.
func (c *conn) metaBytes(name string) ([]byte, error) {
	q := c.sql(selectMeta).text(name)
	var b []byte
	if q.next() {
		b = q.colBytes(0)
	}
	return b, q.end()
}

func (c *conn) setMetaBytes(name string, b []byte) error {
	return c.sql(upsertMeta).text(name).blob(b).exec()
}
