package tq

import "testing"

func TestNearestForgivesASlipAndNoMore(t *testing.T) {
	known := []string{"claim", "complete", "list", "rm"}
	for name, want := range map[string]string{
		"clam": "claim", "completes": "complete", "lists": "list", "list": "list",
		"ab": "", "cloud": "", "": "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
