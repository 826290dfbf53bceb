package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/tq"
	zs "zombiezen.com/go/sqlite"
)

// prepare makes sure that a database of ours with the newest schema lies at
// path. Creating and migrating happen under the lock that writers take.
func prepare(path string) error {
	texts, err := migrations()
	if err != nil {
		return err
	}
	ready, err := isReady(path, texts)
	if err != nil || ready {
		return err
	}
	turn, err := openTurnLock(path + lockSuffix)
	if err != nil {
		return cannotCreate(path, err)
	}
	err = prepareAlone(path, texts, turn)
	if closed := turn.close(); err == nil {
		err = closed
	}
	return err
}

func isReady(path string, texts []string) (bool, error) {
	exists, err := inspect(path)
	if err != nil || !exists {
		return false, err
	}
	version, err := probe(path, len(texts))
	return int(version) == len(texts), err
}

func prepareAlone(path string, texts []string, turn *turnLock) error {
	if err := turn.lock(context.Background()); err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == 0:
		err = create(path, texts)
	case err == nil:
		err = upgrade(path, texts)
	}
	return join(err, turn.unlock())
}

// create builds the database under another name and moves it into place when it
// is whole, so that nobody ever sees half of one.
func create(path string, texts []string) error {
	draft := path + draftSuffix
	for _, old := range []string{draft, draft + "-journal", draft + "-wal", draft + "-shm"} {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotCreate(path, err)
		}
	}
	f, err := os.OpenFile(draft, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return cannotCreate(path, err)
	}
	if err := f.Close(); err != nil {
		return cannotCreate(path, err)
	}
	if err := fill(draft, texts); err != nil {
		return fault("create "+path, err)
	}
	if err := os.Rename(draft, path); err != nil {
		return cannotCreate(path, err)
	}
	return syncPath(filepath.Dir(path))
}

func fill(draft string, texts []string) error {
	c, err := openConn(draft, zs.OpenReadWrite, fmt.Sprintf("pragma application_id = %d", applicationID))
	if err != nil {
		return err
	}
	err = migrate(c, texts)
	if err == nil {
		err = writeSecret(c)
	}
	if err == nil {
		err = c.script(`pragma journal_mode = wal`)
	}
	return join(err, c.close())
}

func writeSecret(c *conn) error {
	secret, err := newSecret()
	if err != nil {
		return err
	}
	return c.setMetaBytes(metaSecret, secret)
}

// upgrade migrates a database of ours. Another process may have done it while
// we waited for the lock.
func upgrade(path string, texts []string) error {
	if ready, err := isReady(path, texts); err != nil || ready {
		return err
	}
	c, err := openWriter(path, Full)
	if err != nil {
		return fault("open "+path, err)
	}
	return fault("migrate "+path, join(migrate(c, texts), c.close()))
}

// syncPath makes a file, or a rename in a folder, last through a power cut.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	return join(err, f.Close())
}

func cannotCreate(path string, err error) error {
	return tq.Errorf(tq.CodeInvalid, "create %s: %w", path, err).
		WithHint("choose a place you may write to: --db PATH")
}
