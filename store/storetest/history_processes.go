package storetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"example.com/tq"
	"example.com/tq/test/tally"
)

// Histories of several processes on one database: each plays and writes down
// what it was answered, one judges all of it.

// claimersEach is how many claimers one of several processes has.
const claimersEach = 4

// Play is the part of one process in a history of several. It writes every
// question and its answer to out, a line of JSON each. All processes must have
// one now, which never goes back, and stores whose time passes by itself.
func Play(store tq.Store, out io.Writer, now func() int64, ops int, seed uint64) error {
	lines := bufio.NewWriter(out)
	encoder := json.NewEncoder(lines)
	var broken error
	r := &recorder{
		store: store, pass: func() {}, strangers: true,
		// A call counts as made before an answer of the same moment.
		now:  func() int64 { return 2 * now() },
		tell: func(x told) { x.Return++; broken = errors.Join(broken, encoder.Encode(x)) },
	}
	err := r.playAll(claimersEach, ops, seed)
	return errors.Join(err, broken, lines.Flush())
}

// Judge reads what the processes wrote and says where it cannot have happened:
// where it fits no order of events in which every attempt had one holder and one
// end. It counts the answers.
func Judge(store tq.Store, wrote ...io.Reader) (tally.Counts, error) {
	all, end := stories{}, int64(0)
	for _, r := range wrote {
		for d := json.NewDecoder(r); d.More(); {
			var x told
			if err := d.Decode(&x); err != nil {
				return all.counts(), fmt.Errorf("read what a process wrote: %w", err)
			}
			all.add(x)
			end = max(end, x.Return)
		}
	}
	err := all.judge(store, end+1)
	return all.counts(), err
}
