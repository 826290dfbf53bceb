package server_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/tq/internal/server"
	"example.com/tq/web"
)

const smallPage = `<meta name="tq-root" content="./"><link href="./icon.svg"><script src="./assets/a.js"></script>`

func smallDashboard(t *testing.T) http.Handler {
	t.Helper()
	h, err := server.Dashboard(fstest.MapFS{
		"index.html":  {Data: []byte(smallPage)},
		"icon.svg":    {Data: []byte("<svg/>")},
		"assets/a.js": {Data: []byte(strings.Repeat("a();\n", 1000))},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ask(h http.Handler, method, path string, header ...string) *http.Response {
	r := httptest.NewRequest(method, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryAddressOfTheAppAnswersWithThePage(t *testing.T) {
	t.Parallel()
	h := smallDashboard(t)
	for path, root := range map[string]string{
		"/":                   "./",
		"/index.html":         "./",
		"/tasks":              "./",
		"/tasks/42":           "../",
		"/tasks/":             "../",
		"/jobs/42":            "../",
		"/queues/a%2Fb":       "../",
		"/queues/shop:x/deep": "../../",
	} {
		got := body(t, ask(h, "GET", path))
		if want := strings.ReplaceAll(smallPage, `"./`, `"`+root); got != want {
			t.Errorf("%s: the page is\n%s\nwant\n%s", path, got, want)
		}
	}
}

func TestAMissingAssetIsNotAnsweredWithThePage(t *testing.T) {
	t.Parallel()
	if r := ask(smallDashboard(t), "GET", "/assets/old-1234.js"); r.StatusCode != http.StatusNotFound {
		t.Errorf("status %d, want 404: a page that gets HTML for a script breaks in silence", r.StatusCode)
	}
}

func TestAssetsAreKeptForEverAndThePageIsNot(t *testing.T) {
	t.Parallel()
	h := smallDashboard(t)
	if got := ask(h, "GET", "/assets/a.js").Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("asset: Cache-Control %q", got)
	}
	first := ask(h, "GET", "/tasks")
	if got := first.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("page: Cache-Control %q", got)
	}
	again := ask(h, "GET", "/tasks", "If-None-Match", first.Header.Get("Etag"))
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again with its tag: status %d, want 304", again.StatusCode)
	}
}

func TestAssetsTravelZippedToThoseWhoCanReadIt(t *testing.T) {
	t.Parallel()
	h := smallDashboard(t)
	plain := body(t, ask(h, "GET", "/assets/a.js"))
	zipped := ask(h, "GET", "/assets/a.js", "Accept-Encoding", "gzip, br")
	if got := zipped.Header.Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("Content-Encoding %q, want gzip", got)
	}
	r, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != plain {
		t.Error("unzipped it is another file")
	}
}

func TestTheDashboardChangesNothing(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if r := ask(smallDashboard(t), method, "/tasks"); r.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d, want 405", method, r.StatusCode)
		}
	}
}

func TestThePageMayLoadNothingFromElsewhereAndNothingInline(t *testing.T) {
	t.Parallel()
	h, err := server.Dashboard(web.Files())
	if err != nil {
		t.Fatal(err)
	}
	r := ask(h, "GET", "/")
	policy := r.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q lacks %s", policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy %q is loosened", policy)
	}
	page := body(t, r)
	for _, wrong := range []string{"<style", "onload=", "http://", "https://", `style="`, "<script>"} {
		if strings.Contains(page, wrong) {
			t.Errorf("the page that was built has %s in it", wrong)
		}
	}
}

func TestADashboardWithoutItsPageIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := server.Dashboard(fstest.MapFS{}); err == nil {
		t.Error("no error for an empty folder")
	}
}
