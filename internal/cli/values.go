package cli

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/tq"
)

// How lengths of time, instants, ids and backoffs are written on a command line
// and shown to people.

// parseDuration reads 90s, 5m, 2h, 3d, 1d12h or 1.5h. A bare number is refused,
// because nobody can tell seconds from milliseconds; 0 needs no unit.
func parseDuration(s string) (time.Duration, error) {
	if s == "0" {
		return 0, nil
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q has no unit: write %ss or %sm", s, s, s)
	}
	hours, err := daysToHours(s)
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(hours)
	if err != nil {
		return 0, fmt.Errorf("%q is not a length of time: want one like 90s, 5m, 2h or 3d", s)
	}
	return d, nil
}

// daysToHours rewrites the part in days, which the standard library does not know.
func daysToHours(s string) (string, error) {
	m := days.FindStringSubmatch(s)
	if m == nil {
		return s, nil
	}
	n, err := strconv.ParseFloat(m[2], 64)
	const limit = 100_000
	if err != nil || n > limit {
		return "", fmt.Errorf("%q is too long", s)
	}
	return m[1] + strconv.FormatFloat(24*n, 'f', -1, 64) + "h" + m[3], nil
}

// days finds the part of a length of time that is in days. It never changes.
var days = regexp.MustCompile(`^([+-]?)([0-9.]+)d(.*)$`)

// parseTime reads an instant as RFC 3339 with a zone.
func parseTime(s string) (tq.Time, error) {
	var t tq.Time
	if err := t.UnmarshalJSON([]byte(strconv.Quote(s))); err != nil {
		return t, fmt.Errorf("%q %w", s, err)
	}
	return t, nil
}

// parseID reads the id of a task.
func parseID(s string) (int64, error) {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id <= 0 {
		return 0, usage("%q is not the id of a task", s).WithHint("ids are numbers: tq list shows them")
	}
	return id, nil
}

func parseIDs(args []string) ([]int64, error) {
	ids := make([]int64, len(args))
	for i, arg := range args {
		id, err := parseID(arg)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// parseBackoff reads BASE, BASE..CAP or BASE..CAPxFACTOR.
func parseBackoff(s string) (*tq.Backoff, error) {
	text, factor, hasFactor := strings.Cut(s, "x")
	base, ceiling, hasCap := strings.Cut(text, "..")
	var b tq.Backoff
	var errs [3]error
	var d time.Duration
	d, errs[0] = parseDuration(base)
	b.Base = tq.Duration(d)
	if hasCap {
		d, errs[1] = parseDuration(ceiling)
		b.Cap = tq.Duration(d)
	}
	if hasFactor {
		b.Factor, errs[2] = strconv.ParseFloat(factor, 64)
	}
	if errors.Join(errs[:]...) != nil {
		return nil, fmt.Errorf("%q is not a backoff: want BASE..CAP or BASE..CAPxFACTOR, as in 2s..1h or 1s..10mx3", s)
	}
	return &b, nil
}

// span shows a length of time in at most two units.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + span(-d)
	case d == 0:
		return "0s"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < 10*time.Second:
		return strings.TrimSuffix(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".0") + "s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + "s"
	case d < time.Hour:
		return twoUnits(d, time.Minute, "m", time.Second, "s")
	case d < 24*time.Hour:
		return twoUnits(d, time.Hour, "h", time.Minute, "m")
	}
	return twoUnits(d, 24*time.Hour, "d", time.Hour, "h")
}

// age shows how long ago something was, to the second and never below zero: the
// clocks of two machines differ.
func age(d time.Duration) string { return span(max(0, d.Truncate(time.Second))) }

func twoUnits(d, big time.Duration, bigName string, small time.Duration, smallName string) string {
	text := strconv.FormatInt(int64(d/big), 10) + bigName
	if rest := d % big / small; rest > 0 {
		text += strconv.FormatInt(int64(rest), 10) + smallName
	}
	return text
}

// clock shows an instant in the local zone: the time of a day that is today, the
// date before it otherwise.
func clock(t tq.Time, now time.Time) string {
	local := t.In(now.Location())
	if local.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return local.Format(time.TimeOnly)
	}
	return local.Format(time.DateTime)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
