//go:build !linux

package sqlite

import "os"

// networkFS knows network file systems on Linux only.
func networkFS(string) string { return "" }

// mayWrite reports why the file may not be written.
func mayWrite(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		return os.ErrPermission
	}
	return err
}
