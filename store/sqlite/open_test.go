package sqlite

import (
	"path/filepath"
	"testing"
)

func TestOpenCreatesAndOpensAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sub", "tq.db")
	var secret string
	for i := range 2 {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 && secret != string(s.Info().Secret) {
			t.Error("the secret changed between two opens")
		}
		secret = string(s.Info().Secret)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
