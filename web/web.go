// Package web holds the dashboard as it was built: dist/ is made by `make web`
// from the sources beside it and committed, so that building tq needs no Node.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files are the files of the dashboard, index.html at their root.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return files
}
