package httpexec_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	httpexec "example.com/tq/exec/http"
)

// retried is a failure with the usual backoff, permanent one without a retry.
var (
	retried   = wish{delay: -1}
	permanent = wish{permanent: true, delay: -1}
)

func TestAGoodAnswerIsTheResult(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"n": 1.0e2, "n": 12345678901234567890}`: `{"n": 1.0e2, "n": 12345678901234567890}`,
		" [1,2]\n":                   `[1,2]`,
		`true`:                       `true`,
		`plain <text> & "quotes"`:    `"plain <text> & \"quotes\""`,
		"two\nlines\n":               `"two\nlines\n"`,
		"caf\xe9 \x00 \x1b[2J":       `"caf` + "\uFFFD \uFFFD" + ` \u001b[2J"`,
		"":                           "",
		" \n":                        "",
		strings.Repeat("[", 200):     `"` + strings.Repeat("[", 200) + `"`, // no JSON of ours
		strings.Repeat("x", 131_070): `"` + strings.Repeat("x", 131_070) + `"`,
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		got, err := execute(t, local(), object(s.URL))
		if err != nil || string(got) != want {
			t.Errorf("%.50q: result %.100s, error %v, want %.100s", body, got, err, want)
		}
	}
	for _, code := range []int{200, 201, 202, 203, 204, 205, 206, 226, 299} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
		if got, err := execute(t, local(), object(s.URL)); err != nil || got != nil {
			t.Errorf("%d: result %s, error %v, want neither", code, got, err)
		}
	}
}

func TestTheTaskIsSentWhenNoBodyIs(t *testing.T) {
	t.Parallel()
	type seen struct {
		method, uri, body string
		header            http.Header
	}
	requests := make(chan seen, 1)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		requests <- seen{r.Method, r.RequestURI, string(b), r.Header}
	})
	payload := object(s.URL + "/hook?a=<b>&c=d#fragment")
	if _, err := execute(t, local(), payload); err != nil {
		t.Fatal(err)
	}
	got := <-requests
	if got.method != http.MethodPost || got.uri != "/hook?a=<b>&c=d" {
		t.Errorf("%s %s", got.method, got.uri)
	}
	if want := fmt.Sprintf(`{"id":42,"project":"shop","type":"http","payload":%s,"attempt":2}`, payload); strings.TrimSpace(got.body) != want {
		t.Errorf("body %s, want %s", got.body, want)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "tq", "Accept-Encoding": "identity",
		"Tq-Fence": "9", "Tq-Task-Id": "42", "Tq-Attempt": "2", "Idempotency-Key": `"tq-42-1700000000000"`,
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.header.Get(name), want)
		}
	}
}

func TestMethodHeadersAndBodyAreSent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		payload                   map[string]any
		method, contentType, body string
	}{
		"JSON":        {map[string]any{"body": json.RawMessage(`{"n":1.0}`)}, "POST", "application/json", `{"n":1.0}`},
		"null":        {map[string]any{"body": nil, "method": "PUT"}, "PUT", "application/json", `null`},
		"text":        {map[string]any{"body": "hi \u00e9\n", "method": "patch"}, "PATCH", "text/plain; charset=utf-8", "hi \u00e9\n"},
		"empty":       {map[string]any{"body": ""}, "POST", "text/plain; charset=utf-8", ""},
		"typed":       {map[string]any{"body": "<a/>", "headers": map[string]string{"content-type": "application/xml"}}, "POST", "application/xml", "<a/>"},
		"GET":         {map[string]any{"method": "GET"}, "GET", "", ""},
		"DELETE":      {map[string]any{"method": "DELETE"}, "DELETE", "", ""},
		"GET, a body": {map[string]any{"method": "GET", "body": 1}, "GET", "application/json", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				fmt.Fprintf(w, "%s|%s|%s", r.Method, r.Header.Get("Content-Type"), b)
			})
			test.payload["url"] = s.URL
			got, err := execute(t, local(), object(test.payload))
			if err != nil {
				t.Fatal(err)
			}
			var text string
			if err := json.Unmarshal(got, &text); err != nil {
				t.Fatal(err)
			}
			if want := test.method + "|" + test.contentType + "|" + test.body; text != want {
				t.Errorf("the server saw %q, want %q", text, want)
			}
		})
	}
}

func TestHeadersOfThePayloadAreSent(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		fmt.Fprintf(w, "%s|%s|%s|%s:%s", r.Host, r.Header.Get("X-Key"), r.Header.Get("Idempotency-Key"), user, password)
	})
	got, err := execute(t, local(), object(map[string]any{
		"url":     strings.Replace(s.URL, "http://", "http://ann:s3cret@", 1),
		"headers": map[string]string{"host": "inner.example", "x-key": "v 1", "Idempotency-Key": "mine"},
	}))
	if want := `"inner.example|v 1|mine|ann:s3cret"`; err != nil || string(got) != want {
		t.Errorf("result %s, error %v, want %s", got, err, want)
	}
}

func TestPayloadsThatMakeNoRequestFailForGood(t *testing.T) {
	t.Parallel()
	const want = `payload: want a JSON string, the URL, or an object {"url", "method", "headers", "body"}`
	const methods = "payload: method must be one of GET, HEAD, POST, PUT, PATCH, DELETE"
	for payload, text := range map[string]string{
		``:                             want,
		`null`:                         want,
		`7`:                            want,
		`["http://a.example"]`:         want,
		`{}`:                           "payload: url is missing",
		`{"method":"GET"}`:             "payload: url is missing",
		`{"url":7}`:                    "payload: url must be a string",
		`{"URL":"http://a.example"}`:   `payload: unknown field "URL", want url, method, headers, body`,
		`""`:                           `payload: url must begin with http:// or https://, not ""`,
		`"a.example/hook"`:             `payload: url must begin with http:// or https://, not ""`,
		`"//a.example"`:                `payload: url must begin with http:// or https://, not ""`,
		`"ftp://a.example"`:            `payload: url must begin with http:// or https://, not "ftp"`,
		`"file:///etc/passwd"`:         `payload: url must begin with http:// or https://, not "file"`,
		`"gopher://a.example:70/_x"`:   `payload: url must begin with http:// or https://, not "gopher"`,
		`"http://"`:                    "payload: url names no host",
		`"http:///path"`:               "payload: url names no host",
		`"http://:80/"`:                "payload: url names no host",
		`"http:a.example"`:             "payload: url names no host",
		`"http://a.example:port/key"`:  `payload: url: invalid port ":port" after host`,
		`"http://a.example/\u0000key"`: "payload: url: net/url: invalid control character in URL",
		`{"url":"http://a.example","method":"BREW"}`:                 methods,
		`{"url":"http://a.example","method":"GET\r\nX: y"}`:          methods,
		`{"url":"http://a.example","method":""}`:                     methods,
		`{"url":"http://a.example","headers":[]}`:                    "payload: headers must be an object of strings",
		`{"url":"http://a.example","headers":{"A":["b"]}}`:           "payload: headers must be an object of strings",
		`{"url":"http://a.example","headers":{"A b":"c"}}`:           `payload: headers: "A b" is not a name for a header`,
		`{"url":"http://a.example","headers":{"":"c"}}`:              `payload: headers: "" is not a name for a header`,
		`{"url":"http://a.example","headers":{"A":"b\r\nC: d"}}`:     "payload: headers: the value of A contains a control character",
		`{"url":"http://a.example","headers":{"a":"1","A":"2"}}`:     "payload: headers: A is set twice",
		`{"url":"http://a.example","headers":{"tq-fence":"1"}}`:      "payload: headers: Tq-Fence cannot be set",
		`{"url":"http://a.example","headers":{"content-length":""}}`: "payload: headers: Content-Length cannot be set",
		`{"url":"http://a.example","headers":{"Proxy-Any":"x"}}`:     "payload: headers: Proxy-Any cannot be set",
	} {
		mustFail(t, &httpexec.Executor{}, json.RawMessage(payload), text, permanent)
	}
}

func TestBadAnswersFailAsTheirStatusAsks(t *testing.T) {
	t.Parallel()
	for code, w := range map[int]wish{
		400: permanent, 401: permanent, 403: permanent, 404: permanent, 409: permanent, 410: permanent, 413: permanent, 422: permanent, 451: permanent, 499: permanent,
		408: retried, 425: retried, 500: retried, 502: retried, 503: retried, 504: retried, 507: retried, 599: retried,
		429: {unburnt: true, delay: 30 * time.Second},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, " because \x00\xff\n")
		})
		_, err := execute(t, local(), object(s.URL+"/path?token=s3cret"))
		prefix := fmt.Sprintf("%d %s", code, http.StatusText(code))
		if err == nil || !strings.HasPrefix(err.Error(), strings.TrimSpace(prefix)+" from 127.0.0.1:") ||
			!strings.HasSuffix(err.Error(), "\nbecause \uFFFD\uFFFD") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%d: error %q", code, err)
		}
		if got := wishOf(err); got != w {
			t.Errorf("%d is settled as %+v, want %+v", code, got, w)
		}
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	date := time.Date(2026, 11, 29, 16, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"7":                                      7 * time.Second,
		" 120 ":                                  2 * time.Minute,
		"0":                                      time.Second, // no tight loop
		"99999":                                  day,         // not for ever
		"99999999999999999999":                   day,
		"-1":                                     -1,
		"1.5":                                    -1,
		"soon":                                   -1,
		"":                                       -1,
		httpDate(date, time.Hour):                time.Hour,
		httpDate(date, -time.Hour):               time.Second,
		httpDate(date, 1000*day):                 day,
		date.Add(time.Minute).Format(time.ANSIC): time.Minute,
	} {
		for code, w := range map[int]wish{
			503: {delay: want}, 500: {delay: want}, 408: {delay: want},
			429: {unburnt: true, delay: want},
		} {
			if code == 429 && want < 0 {
				w.delay = 30 * time.Second
			}
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Date", httpDate(date, 0)) // the sender's clock, not ours, counts
				w.Header().Set("Retry-After", header)
				w.WriteHeader(code)
			})
			_, err := execute(t, local(), object(s.URL))
			if got := wishOf(err); err == nil || got != w {
				t.Errorf("%d, Retry-After %q: %v is settled as %+v, want %+v", code, header, err, got, w)
			}
		}
	}
}

func httpDate(t time.Time, later time.Duration) string { return t.Add(later).Format(http.TimeFormat) }

func TestTheWaitIsInTheError(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "down")
	})
	mustFail(t, local(), object(s.URL), "503 Service Unavailable from "+s.Listener.Addr().String()+": retry after 7s\ndown", wish{delay: 7 * time.Second})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	target := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, to := range []string{"http://169.254.169.254/latest/meta-data/", target.URL, "/elsewhere", "file:///etc/passwd", ""} {
		for _, code := range []int{300, 301, 302, 303, 304, 305, 307, 308} {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if to != "" {
					w.Header().Set("Location", to)
				}
				w.WriteHeader(code)
			})
			text := fmt.Sprintf("%d %s from %s", code, http.StatusText(code), s.Listener.Addr())
			if to != "" {
				text += fmt.Sprintf(" to %q", to)
			}
			mustFail(t, local(), object(s.URL), text+": redirects are not followed", permanent)
			if n := s.hits.Load(); n != 1 {
				t.Errorf("%d to %q: %d requests", code, to, n)
			}
		}
	}
	if n := target.hits.Load(); n != 0 {
		t.Errorf("the target of a redirect got %d requests", n)
	}
}
