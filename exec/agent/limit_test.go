package agent

import (
	"strings"
	"testing"
	"time"
)

func TestLimitsAreReadAsAgentsWordThem(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 14, 30, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"Claude AI usage limit reached|1795971600":                         time.Unix(1795971600, 0).Sub(now),
		"You've hit your limit · resets 3pm (UTC)":                         30 * time.Minute,
		"You've hit your usage limit. Try again at 3:05 PM.":               35 * time.Minute,
		"You've hit your usage limit. Try again in 2 hours 5 minutes.":     125 * time.Minute,
		`429 RESOURCE_EXHAUSTED, "retryDelay": "34.5s"`:                    34500 * time.Millisecond,
		"Quota exceeded. Please retry in 12.25s.":                          12250 * time.Millisecond,
		"HTTP 429\nRetry-After: 90":                                        90 * time.Second,
		"rate_limit_error: until 2026-11-29T15:00:00Z":                     30 * time.Minute,
		"rate limit exceeded":                                              unknownLimit,
		"Too Many Requests, resets 2pm (UTC)":                              23*time.Hour + 30*time.Minute,
		"limit reached, try again in 900 days":                             longestLimit,
		"You've hit your session limit · resets 6:30pm (Europe/Amsterdam)": 3 * time.Hour,
	} {
		until, yes := limited(text, now)
		if !yes || until.Sub(now) != want {
			t.Errorf("%q: limited %v for %s, want %s", text, yes, until.Sub(now), want)
		}
	}
	for _, text := range []string{"", "exit status 1", "undefined: x", "segmentation fault"} {
		if _, yes := limited(text, now); yes {
			t.Errorf("%q is taken for a limit", text)
		}
	}
}

func TestScrubberTakesOutWhatLooksSecret(t *testing.T) {
	t.Parallel()
	s := newScrubber([]string{"MY_API_KEY=abcdefgh12", "PLAIN=visible-value", "SHORT_TOKEN=abc"})
	for text, want := range map[string]string{
		"x abcdefgh12 y":                             "x [redacted] y",
		"visible-value abc":                          "visible-value abc",
		"sk-" + strings.Repeat("a1", 10):             "[redacted]",
		"Authorization: Bearer abcdefghij0123456789": "Authorization: [redacted]",
		"https://ann:pw@host/x":                      "https[redacted]host/x",
		"ghp_" + strings.Repeat("a1", 12):            "[redacted]",
	} {
		if got := string(s.bytes([]byte(text))); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
