//go:build !unix

package sqlite

import "errors"

func fillSmallDisk(*Store) error {
	return errors.New("a disk is made small with a limit that only Unix has")
}
