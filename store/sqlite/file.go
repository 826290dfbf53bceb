package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"
)

// Where the database lies, and whether we may use what lies there. Whatever is
// refused here is left as it was.

// locate makes the path absolute, follows links, so that the files beside the
// database are the same for everybody, and creates missing folders.
func locate(path string) (string, error) {
	if path == "" {
		return "", tq.Errorf(tq.CodeInvalid, "the path of the database is empty").
			WithHint("give a file: --db tq.db")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", tq.Errorf(tq.CodeInvalid, "the path of the database: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", tq.Errorf(tq.CodeInvalid, "create the folder of the database: %w", err).
			WithHint("choose a place you may write to: --db PATH")
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return "", tq.Errorf(tq.CodeInvalid, "open %s: %w", path, err)
}

// inspect looks at the file from outside. It answers whether there is a
// database to open; if not, one may be created.
func inspect(path string) (exists bool, err error) {
	if name := networkFS(filepath.Dir(path)); name != "" {
		return false, tq.Errorf(tq.CodeInvalid, "%s lies on a network file system (%s), whose locks SQLite cannot trust", path, name).
			WithHint("keep the file on a local disk, and let other machines in through tq serve or PostgreSQL")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, tq.Errorf(tq.CodeInvalid, "open %s: %w", path, err)
	case info.IsDir():
		return false, tq.Errorf(tq.CodeInvalid, "%s is a folder", path).
			WithHint("name a file in it: --db %s", filepath.Join(path, "tq.db"))
	case !info.Mode().IsRegular():
		return false, tq.Errorf(tq.CodeInvalid, "%s is not a regular file", path).
			WithHint("name a file: --db tq.db")
	case openToOthers(info.Mode()):
		return false, tq.Errorf(tq.CodeInvalid, "%s may be written by others (mode %04o)", path, info.Mode().Perm()).
			WithHint("chmod 600 %s", path)
	}
	if err := mayWrite(path); err != nil {
		return false, tq.Errorf(tq.CodeInvalid, "%s may not be written: %w", path, err).
			WithHint("chmod u+w it, or choose another file: --db PATH")
	}
	return info.Size() > 0, nil
}

// probe looks inside without writing: is it SQLite, is it ours, do we know its
// schema? It goes through SQLite and a connection that cannot write; opening
// and closing the file ourselves would drop the locks that other connections
// of this process hold on it.
func probe(path string, known int) (version int64, err error) {
	c, err := openConn(path, zs.OpenReadOnly, `pragma trusted_schema = off`)
	if err != nil {
		return 0, refuseFile(path, err)
	}
	id, err := c.one(`pragma application_id`)
	var pages int64
	if err == nil {
		version, err = c.one(`pragma user_version`)
	}
	if err == nil {
		pages, err = c.one(`pragma page_count`)
	}
	if closed := c.close(); err == nil {
		err = closed
	}
	if err != nil {
		return 0, refuseFile(path, err)
	}
	if pages == 0 { // SQLite takes a file of a few bytes for an empty database
		return 0, notSQLite(path)
	}
	if id != applicationID {
		return 0, tq.Errorf(tq.CodeInvalid, "%s is another application's database", path).
			WithHint("choose another file: --db PATH; this one was left as it is")
	}
	return version, checkVersion(version, known)
}

func refuseFile(path string, err error) error {
	if zs.ErrCode(err).ToPrimary() == zs.ResultNotADB {
		return notSQLite(path)
	}
	return fault("open "+path, err)
}

func notSQLite(path string) error {
	return tq.Errorf(tq.CodeInvalid, "%s is not a SQLite database", path).
		WithHint("choose another file: --db PATH; this one was left as it is")
}
