package storetest

import "testing"

func TestHistoriesOfTheModelAreLinear(t *testing.T) {
	t.Parallel()
	History(t, openMemory, 8_000)
}
