package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// The dashboard: files that were built, and one page that answers at every
// address of the app. Nothing in here knows what a task is.

// pagePolicy lets the page load its own files and ask its own hub, and nothing
// else: no inline script or style, no frame, no other origin.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; worker-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// webFile is one file, ready to be sent.
type webFile struct {
	plain, zipped []byte // zipped is nil when it would not be smaller
	kind, tag     string
}

type dashboard struct {
	files map[string]*webFile
	page  []string // index.html, cut where the way to the root belongs
}

// Dashboard serves the files of the dashboard, and its page at every other
// path. It works below any prefix that a proxy takes away: the page names its
// files relative to the path it was asked by.
func Dashboard(files fs.FS) (http.Handler, error) {
	d := &dashboard{files: map[string]*webFile{}}
	err := fs.WalkDir(files, ".", func(name string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		d.files[name] = newWebFile(name, text)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the dashboard: %w", err)
	}
	index := d.files["index.html"]
	if index == nil {
		return nil, fmt.Errorf("read the dashboard: %w: index.html", fs.ErrNotExist)
	}
	d.page = strings.Split(string(index.plain), `"./`)
	return d, nil
}

func newWebFile(name string, text []byte) *webFile {
	sum := sha256.Sum256(text)
	f := &webFile{plain: text, kind: mime.TypeByExtension(path.Ext(name)), tag: hex.EncodeToString(sum[:8])}
	if z := zip(text); len(z) < len(text)*9/10 {
		f.zipped = z
	}
	return f
}

func zip(text []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is one of gzip's own
	}
	_, _ = w.Write(text) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

func (d *dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD here", http.StatusMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	name := strings.TrimPrefix(r.URL.Path, "/")
	f := d.files[name]
	switch {
	case f != nil && name != "index.html":
		f.send(w, r, strings.HasPrefix(name, "assets/"))
	case strings.HasPrefix(name, "assets/"):
		http.Error(w, "no such file: this page is older or newer than the hub, load it again", http.StatusNotFound)
	default:
		d.pageFor(r).send(w, r, false)
	}
}

// pageFor is index.html as seen from the path of r: its files lie as many
// levels up as the path is deep.
func (d *dashboard) pageFor(r *http.Request) *webFile {
	root := "./"
	if depth := strings.Count(r.URL.EscapedPath(), "/") - 1; depth > 0 {
		root = strings.Repeat("../", depth)
	}
	text := strings.Join(d.page, `"`+root)
	sum := sha256.Sum256([]byte(text))
	return &webFile{plain: []byte(text), kind: "text/html; charset=utf-8", tag: hex.EncodeToString(sum[:8])}
}

// send answers with f. A fixed file has its content's hash in its name and may
// be kept for ever.
func (f *webFile) send(w http.ResponseWriter, r *http.Request, fixed bool) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache")
	if fixed {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	text, tag := f.plain, f.tag
	if f.zipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			text, tag = f.zipped, f.tag+"-gzip"
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
