// Package config says where settings come from: a flat file of `key = value`
// lines, the environment, and the folders of the XDG base directory rules. What
// a key means is not known here; keys are the names of flags.
package config

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// MaxFile is the size of a configuration file that is read, in bytes.
const MaxFile = 1 << 20

// File is a configuration file that was read; the zero value is none.
type File struct {
	Path     string
	Settings []Setting // in the order of the file
}

// Setting is one line of a File.
type Setting struct {
	Key, Value string
	Line       int
}

// Read reads the file at path. A file that may be missing gives the zero File.
func Read(path string, mayMiss bool) (File, error) {
	f, err := os.Open(path)
	if mayMiss && os.IsNotExist(err) {
		return File{}, nil
	}
	if err != nil {
		return File{}, fmt.Errorf("config: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	return Parse(path, f)
}

// Parse reads lines of `key = value`. Blank lines and lines that begin with #
// are skipped. A value may stand in double quotes. A key may stand once.
func Parse(path string, r io.Reader) (File, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return File{}, fmt.Errorf("config: read %s: %w", path, err)
	}
	if len(text) > MaxFile {
		return File{}, fmt.Errorf("config: %s is longer than %d bytes", path, MaxFile)
	}
	file := File{Path: path}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, MaxFile+1)
	stands := map[string]int{} // in which line a key does
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := setting(line, n)
		if before := stands[s.Key]; err == nil && before > 0 {
			err = fmt.Errorf("%s: is already set in line %d", s.Key, before)
		}
		if err != nil {
			return File{}, file.Wrong(n, err)
		}
		stands[s.Key] = n
		file.Settings = append(file.Settings, s)
	}
	return file, nil
}

func setting(line string, n int) (Setting, error) {
	key, value, ok := strings.Cut(line, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	switch {
	case !ok || key == "":
		return Setting{}, errors.New("want key = value")
	case strings.HasPrefix(value, `"`):
		quoted := value
		value = strings.TrimSuffix(strings.TrimPrefix(value, `"`), `"`)
		if len(quoted) < 2 || !strings.HasSuffix(quoted, `"`) {
			return Setting{}, fmt.Errorf("%s: the closing quote is missing", key)
		}
	}
	return Setting{Key: key, Value: value, Line: n}, nil
}

// Wrong is the refusal of one line of the file.
func (f *File) Wrong(line int, err error) error {
	return fmt.Errorf("config %s:%d: %w", f.Path, line, err)
}

// EnvName is the variable that sets the flag of that name: TQ_MAX_ATTEMPTS for
// max-attempts.
func EnvName(flag string) string {
	return "TQ_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// DefaultFile is the configuration file when none is named: tq/config in
// XDG_CONFIG_HOME or ~/.config. "" when there is no home.
func DefaultFile(getenv func(string) string) string {
	return inHome(getenv, "XDG_CONFIG_HOME", ".config", "tq", "config")
}

// TokenFile keeps the token of this user: tq/token in XDG_CONFIG_HOME or
// ~/.config. "" when there is no home.
func TokenFile(getenv func(string) string) string {
	return inHome(getenv, "XDG_CONFIG_HOME", ".config", "tq", "token")
}

// DefaultDB is the database when none is named: tq/tq.db in XDG_DATA_HOME or
// ~/.local/share. "" when there is no home.
func DefaultDB(getenv func(string) string) string {
	return inHome(getenv, "XDG_DATA_HOME", filepath.Join(".local", "share"), "tq", "tq.db")
}

// inHome joins names to the folder that variable names, or to its usual place.
// A relative path in the variable is ignored, as the XDG rules ask.
func inHome(getenv func(string) string, variable, usual string, names ...string) string {
	base := getenv(variable)
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, usual)
	}
	return filepath.Join(append([]string{base}, names...)...)
}
