//go:build !linux

package sqlite

func room(string) (int64, bool) { return 0, false }
