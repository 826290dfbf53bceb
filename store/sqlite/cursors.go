package sqlite

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/tq"
)

// The cursors of retention. One that a queue has for itself begins where that of
// all queues stands, in the transaction that leaves the queue out of the latter;
// so no end of a task is between them. It stays for ever: should the queue lose
// its own time again, its cursor goes on with that of all.

const (
	selectCursors = `select name, value from meta where name >= 'kept_' and name < 'kepu' order by name`
	plantCursor   = `insert into meta (name, value) values (?1, min(?2, coalesce((select value from meta where name = ?3), 0)))
		on conflict (name) do nothing`
	// rewindCursors puts those of a status back, that of all queues and those of
	// single ones: behind its name and a slash stands the queue's.
	rewindCursors = `update meta set value = ?2 where (name = ?1 or name >= ?1 || '/' and name < ?1 || '0') and value > ?2`
)

// walks lists the walks along the journal, those that keep for ever as well.
func walks(c *conn, keep tq.Retention) ([]walk, error) {
	at, err := cursors(c)
	if err != nil {
		return nil, err
	}
	all := []walk{{meta: metaDeleted, keep: milli(cmp.Or(keep.Facts, tq.KeepFacts)), from: at[metaDeleted]}}
	for _, status := range []tq.Status{tq.Completed, tq.Cancelled, tq.Dead} {
		name := cursorOf(status, "")
		rest := walk{meta: name, status: status, keep: keepMilli(keep, "", status), from: at[name], apart: map[string]bool{}}
		for _, queue := range keep.Apart(status) {
			rest.apart[queue] = true
		}
		for other := range at {
			if queue, ok := strings.CutPrefix(other, name+"/"); ok {
				rest.apart[queue] = true
			}
		}
		for _, queue := range slices.Sorted(maps.Keys(rest.apart)) {
			own := walk{meta: cursorOf(status, queue), status: status, queue: queue, keep: keepMilli(keep, queue, status)}
			known := false
			if own.from, known = at[own.meta]; !known {
				own.from, own.fresh = rest.from, true
			}
			all = append(all, own)
		}
		all = append(all, rest)
	}
	return all, nil
}

// cursors reads where all of them stand.
func cursors(c *conn) (map[string]int64, error) {
	at := map[string]int64{}
	q := c.sql(selectCursors)
	for q.next() {
		at[q.colText(0)] = q.colInt(1)
	}
	return at, q.end()
}

// plant writes cursors down that are not yet.
func (n *turn) plant(all []walk) error {
	for i := range all {
		w := &all[i]
		if !w.fresh {
			continue
		}
		if err := n.exec(n.c.sql(plantCursor).text(w.meta).int(w.from).text(cursorOf(w.status, ""))); err != nil {
			return err
		}
	}
	return nil
}

// cursorOf is the name in meta.
func cursorOf(s tq.Status, queue string) string {
	name := metaCompleted
	switch s {
	case tq.Cancelled:
		name = metaCancelled
	case tq.Dead:
		name = metaDead
	}
	if queue == "" {
		return name
	}
	return name + "/" + queue
}

// keepMilli is how long that status is kept, in milliseconds; negative is for
// ever.
func keepMilli(keep tq.Retention, queue string, s tq.Status) int64 {
	return milli(keep.Of(queue, s))
}

func milli(d time.Duration) int64 {
	if d < 0 {
		return -1
	}
	return d.Milliseconds()
}
