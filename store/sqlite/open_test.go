package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"
)

func TestOpenCreatesAndOpensAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "sub", "tq.db")
	var secret string
	for i := range 2 {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		info := s.Info()
		if i == 1 && secret != string(info.Secret) {
			t.Error("the secret changed between two opens")
		}
		if info.Engine != "sqlite" || info.Place != path || info.Durability != Full {
			t.Errorf("info: %+v", info)
		}
		secret = string(info.Secret)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(secret) != 32 {
		t.Errorf("the secret has %d bytes", len(secret))
	}
	mode(t, path, 0o600)
	mode(t, filepath.Dir(path), 0o700)
	mode(t, path+lockSuffix, 0o600)
}

func mode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %04o, want %04o", filepath.Base(path), got, want)
	}
}

func TestOpenFollowsALinkToTheSameFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.db"), filepath.Join(dir, "link.db")
	for _, path := range []string{real, link} {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Info().Place != real {
			t.Errorf("opened as %s, want %s", s.Info().Place, real)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if path == real {
			if err := os.Symlink(real, link); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// script makes a file with any SQLite statements.
func script(t *testing.T, path, text string) {
	t.Helper()
	raw, err := zs.OpenConn(path, zs.OpenReadWrite|zs.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	c := &conn{raw: raw, stmts: make(map[string]*stmt)}
	if err := join(c.script(text), c.close()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		says string
	}{
		"a folder": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "is a folder"},
		"a text": {func(t *testing.T, path string) {
			write(t, path, strings.Repeat("dear diary\n", 500))
		}, "is not a SQLite database"},
		"a short text": {func(t *testing.T, path string) { write(t, path, "x") }, "is not a SQLite database"},
		"another application's database": {func(t *testing.T, path string) {
			script(t, path, `pragma application_id = 42; create table notes (text)`)
		}, "another application's database"},
		"a database that nobody has signed": {func(t *testing.T, path string) {
			script(t, path, `create table notes (text); insert into notes values ('mine')`)
		}, "another application's database"},
		"a newer schema": {func(t *testing.T, path string) {
			s, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			script(t, path, `pragma user_version = 99`)
		}, "has schema 99"},
		"a file that others may write": {func(t *testing.T, path string) {
			write(t, path, "")
			if err := os.Chmod(path, 0o662); err != nil {
				t.Fatal(err)
			}
		}, "may be written by others"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tq.db")
			c.make(t, path)
			refused(t, path, c.says)
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// refused opens path and wants it refused, with advice, and left as it was.
func refused(t *testing.T, path, says string) {
	t.Helper()
	before, _ := os.ReadFile(path) // nothing, of a folder
	s, err := Open(path, Options{})
	if err == nil {
		t.Fatal(join(nil, s.Close()), "opened")
	}
	if tq.CodeOf(err) != tq.CodeInvalid || !strings.Contains(err.Error(), says) {
		t.Errorf("refused with %s: %v, want it to say %q", tq.CodeOf(err), err, says)
	}
	if e := err.(*tq.Error); e.Hint == "" {
		t.Errorf("%v: says nothing of what to do", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

func TestOpenTakesAnEmptyFileForANewOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tq.db")
	write(t, path, "")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesUnknownDurability(t *testing.T) {
	t.Parallel()
	_, err := Open(filepath.Join(t.TempDir(), "tq.db"), Options{Durability: "maybe"})
	if tq.CodeOf(err) != tq.CodeInvalid {
		t.Errorf("got %v", err)
	}
}

func TestOpenRefusesAPlaceWithoutAFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	_, err := Open(filepath.Join(file, "tq.db"), Options{})
	if tq.CodeOf(err) != tq.CodeInvalid {
		t.Errorf("got %v", err)
	}
}

func TestManyMayOpenANewFileAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tq.db")
	const many = 8
	secrets, errs := make(chan string, many), make(chan error, many)
	for range many {
		go func() {
			s, err := Open(path, Options{})
			if err == nil {
				secrets <- string(s.Info().Secret)
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range many {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	first := <-secrets
	for range len(secrets) {
		if next := <-secrets; next != first {
			t.Fatal("two of them made a database of their own")
		}
	}
}

func TestADraftThatWasLeftBehindIsNoObstacle(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tq.db")
	write(t, path+draftSuffix, "half a database")
	write(t, path+draftSuffix+"-journal", "half a journal")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + draftSuffix); !os.IsNotExist(err) {
		t.Errorf("the draft is still there: %v", err)
	}
}
