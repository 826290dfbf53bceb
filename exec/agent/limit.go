package agent

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Rate limits, as agents word them. They are looked for only in what a failed
// run says last, for an agent may well write about rate limits.

const (
	unknownLimit  = 5 * time.Minute // when nothing says how long
	longestLimit  = 8 * 24 * time.Hour
	shortestLimit = time.Second
)

// limitWords compiles what a provider says when it wants us to wait.
func limitWords() *regexp.Regexp {
	return regexp.MustCompile(`(?i)rate[ _-]?limit|usage limit|(hit|reached) your .{0,30}limit|limit reached|quota|resource_?exhausted|too many requests|\b429\b|overloaded`)
}

// limited says until when a provider wants us to wait, if that is why a run
// failed.
func limited(text string, now time.Time) (until time.Time, yes bool) {
	if !limitWords().MatchString(text) {
		return time.Time{}, false
	}
	at, said := resetTime(text, now)
	if !said {
		at = now.Add(unknownLimit)
	}
	wait := min(max(at.Sub(now), shortestLimit), longestLimit)
	return now.Add(wait), true
}

// resetTime finds the moment that a text names: a Unix time, an RFC 3339 one, a
// length of time, or an hour of the day.
func resetTime(text string, now time.Time) (time.Time, bool) {
	if m := regexp.MustCompile(`\|(\d{10})\b`).FindStringSubmatch(text); m != nil {
		sec, err := strconv.ParseInt(m[1], 10, 64)
		return time.Unix(sec, 0), err == nil
	}
	if m := regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`).FindString(text); m != "" {
		at, err := time.Parse(time.RFC3339, m)
		return at, err == nil
	}
	if m := regexp.MustCompile(`(?i)retry-?after"?\s*[:=]\s*"?(\d+)`).FindStringSubmatch(text); m != nil {
		sec, err := strconv.Atoi(m[1])
		return now.Add(time.Duration(sec) * time.Second), err == nil
	}
	if d, ok := lengthIn(text); ok {
		return now.Add(d), true
	}
	return hourIn(text, now)
}

// lengthIn reads "try again in 2 hours 5 minutes", "retryDelay": "34.5s".
func lengthIn(text string) (time.Duration, bool) {
	const length = `((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b[\s,and]*)+)`
	m := regexp.MustCompile(`(?i)(?:(?:again|retry|resets?|wait|reset)\s+(?:in|after|for)?|retryDelay"?\s*:\s*"?)\s*` + length).FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	var sum time.Duration
	for _, part := range regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*([a-z]+)`).FindAllStringSubmatch(m[1], -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil || n > 1e6 {
			return 0, false
		}
		sum += time.Duration(n * float64(unitOf(part[2])))
	}
	return sum, sum > 0
}

func unitOf(word string) time.Duration {
	word = strings.ToLower(word)
	switch {
	case strings.HasPrefix(word, "ms"), strings.HasPrefix(word, "mil"):
		return time.Millisecond
	case strings.HasPrefix(word, "m"):
		return time.Minute
	case strings.HasPrefix(word, "h"):
		return time.Hour
	case strings.HasPrefix(word, "d"):
		return 24 * time.Hour
	}
	return time.Second
}

// hourIn reads "resets 3pm (UTC)", "try again at 15:04": the next such hour.
func hourIn(text string, now time.Time) (time.Time, bool) {
	m := regexp.MustCompile(`(?i)(?:resets?|again|until)\s+(?:at\s+)?(\d{1,2})(?::(\d\d))?\s*(am|pm)?(?:\s*\(?([A-Za-z_]+(?:/[A-Za-z_]+)?)\)?)?`).FindStringSubmatch(text)
	if len(m) != 5 || m[2] == "" && m[3] == "" {
		return time.Time{}, false
	}
	hour, _ := strconv.Atoi(m[1]) // one or two digits
	minute, _ := strconv.Atoi("0" + m[2])
	switch half := strings.ToLower(m[3]); {
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	if hour > 23 || minute > 59 {
		return time.Time{}, false
	}
	zone := now.Location()
	if named, err := time.LoadLocation(m[4]); m[4] != "" && err == nil {
		zone = named
	}
	here := now.In(zone)
	at := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, zone)
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, true
}
