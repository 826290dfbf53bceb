package sqlite_test

import (
	"path/filepath"
	"testing"

	"example.com/tq"
	"example.com/tq/store/sqlite"
	"example.com/tq/store/storetest"
)

func TestPromisesOfAPlace(t *testing.T) {
	t.Parallel()
	storetest.RunPlaces(t, func(tb testing.TB, place string, clock *storetest.Clock) tq.Store {
		s, err := sqlite.Open(filepath.Join(place, "tq.db"), sqlite.Options{Clock: clock.Now})
		if err != nil {
			tb.Fatal(err)
		}
		return s
	})
}
