package storetest

import "testing"

func TestHistoriesOfTheModelAreLinear(t *testing.T) {
	t.Parallel()
	History(t, model, 8_000)
}
