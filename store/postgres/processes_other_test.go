//go:build !linux

package postgres

func asPlayer() (code int, ok bool) { return 0, false }

func asDrainer() (code int, ok bool) { return 0, false }
