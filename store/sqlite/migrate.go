package sqlite

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"example.com/tq"
)

// Migrations are numbered SQL files, forward only. Each runs in one transaction
// together with the number it brings the schema to (user_version), under the
// lock that writers take, so a process that dies in between leaves the schema
// either before or after it. docs/decisions/002-sqlite-migrations.md says why
// this is ten lines of ours.

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks the file as ours: the bytes "tqdb".
const applicationID = 0x74716462

// migrations answers the files in order; number n is at n−1.
func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	texts := make([]string, 0, len(names))
	for i, name := range names {
		if want := fmt.Sprintf("migrations/%04d_", i+1); !strings.HasPrefix(name, want) {
			return nil, fmt.Errorf("migration %s: want a name that starts with %s", name, want)
		}
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// migrate brings the schema behind c up to date. The caller holds the lock.
func migrate(c *conn, texts []string) error {
	for {
		version, err := c.one(`pragma user_version`)
		if err != nil {
			return err
		}
		if int(version) >= len(texts) {
			return checkVersion(version, len(texts))
		}
		if err := c.apply(texts[version], version+1); err != nil {
			return fmt.Errorf("migration %d: %w", version+1, err)
		}
	}
}

// apply runs one migration in its own transaction.
func (c *conn) apply(text string, version int64) error {
	if err := c.script(`begin immediate`); err != nil {
		return err
	}
	err := c.script(text)
	if err == nil {
		err = c.script(fmt.Sprintf("pragma user_version = %d", version))
	}
	if err == nil {
		err = c.script(`commit`)
	}
	if err != nil && !c.raw.AutocommitEnabled() {
		err = join(err, c.script(`rollback`))
	}
	return err
}

func checkVersion(version int64, known int) error {
	if int(version) <= known {
		return nil
	}
	return tq.Errorf(tq.CodeInvalid, "the database has schema %d, this tq knows up to %d", version, known).
		WithHint("use a newer tq for it; the file was left as it is")
}
