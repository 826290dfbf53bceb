package cli

import "io/fs"

// othersMayRead: there the folder of the user says who may.
func othersMayRead(fs.FileInfo) bool { return false }
