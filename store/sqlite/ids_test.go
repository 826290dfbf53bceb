package sqlite

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// sorted answers from a list of ids that lies from high to low.
func sorted(ids []int64) fetch {
	return func(before int64, n int) ([]candidate, error) {
		var out []candidate
		for _, id := range ids {
			if id < before && len(out) < n {
				out = append(out, candidate{id: id})
			}
		}
		return out, nil
	}
}

func drain(t *testing.T, s idStream) []int64 {
	t.Helper()
	var out []int64
	for {
		c, err := s.next()
		if err != nil {
			t.Fatal(err)
		}
		if c.id == 0 {
			return out
		}
		out = append(out, c.id)
	}
}

func TestMergeAnswersEveryIDOnceFromHighToLow(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var runs []*run
		var all []int64
		before := int64(1 + random.IntN(3_000))
		for range random.IntN(20) {
			ids := make([]int64, random.IntN(60))
			for i := range ids {
				ids[i] = 1 + random.Int64N(3_000)
			}
			slices.Sort(ids)
			slices.Reverse(ids)
			runs = append(runs, newRun(before, sorted(ids)))
			all = append(all, ids...)
		}
		m, err := newMerge(runs)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(all)
		all = slices.DeleteFunc(slices.Compact(all), func(id int64) bool { return id >= before })
		slices.Reverse(all)
		if got := drain(t, m); !slices.Equal(got, all) {
			t.Fatalf("before %d: got %v, want %v", before, got, all)
		}
	}
}

func TestListedAnswersIDsBelowTheCursor(t *testing.T) {
	t.Parallel()
	ids := []int64{4, 9, 1, 9, 7}
	for before, want := range map[int64][]int64{0: {9, 7, 4, 1}, 9: {7, 4, 1}, 5: {4, 1}, 1: nil} {
		if got := drain(t, listed(slices.Clone(ids), before)); !slices.Equal(got, want) {
			t.Errorf("before %d: got %v, want %v", before, got, want)
		}
	}
}

func TestARelayGoesOnWhereItsFirstRunWasLeft(t *testing.T) {
	t.Parallel()
	ids := []int64{9, 8, 6, 5, 3, 2}
	for _, left := range []int{1, 3, 6, 7} {
		asked := 0
		r := &relay{first: newRun(0, sorted(ids)), left: left, then: func(before int64) (idStream, error) {
			asked++
			return newRun(before, sorted(ids)), nil
		}}
		if got := drain(t, r); !slices.Equal(got, ids) || asked > 1 {
			t.Errorf("after %d of the first run: %v, and was asked %d times, want %v", left, got, asked, ids)
		}
	}
}
