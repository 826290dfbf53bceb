package tq

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"
)

// Time is an instant in UTC, to the millisecond. Its JSON form is RFC 3339 with
// always three digits, so that times sort as text too.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000Z"

// At returns t as tq keeps it: in UTC, cut to the millisecond.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// FromMilli returns the instant ms milliseconds after the Unix epoch; 0 is the
// zero Time.
func FromMilli(ms int64) Time {
	if ms == 0 {
		return Time{}
	}
	return Time{time.UnixMilli(ms).UTC()}
}

// Milli returns the milliseconds since the Unix epoch; the zero Time is 0.
func (t Time) Milli() int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func (t Time) String() string { return t.UTC().Format(timeLayout) }

// MarshalJSON writes the instant as RFC 3339 with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads RFC 3339 with a zone; anything else is refused.
func (t *Time) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return errors.New("is not a time: want RFC 3339, as in 2026-11-29T16:00:00Z")
	}
	parsed, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return errors.New("is not a time: want RFC 3339 with a zone, as in 2026-11-29T16:00:00Z")
	}
	*t = At(parsed)
	return nil
}

// Duration is a length of time. Its JSON form is a number of seconds, whole or
// decimal, in fields named …_seconds.
type Duration time.Duration

// Std returns d as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalJSON writes seconds with at most three decimals.
func (d Duration) MarshalJSON() ([]byte, error) {
	ms := time.Duration(d).Milliseconds()
	return strconv.AppendFloat(nil, float64(ms)/1000, 'f', -1, 64), nil
}

// UnmarshalJSON reads a number of seconds. A number too large for a Duration
// becomes the largest one, so that the field's own limit answers for it.
func (d *Duration) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(b)), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
		return errors.New("is not a number of seconds")
	}
	*d = seconds(f)
	return nil
}

// seconds turns f seconds into a Duration, saturating at both ends.
func seconds(f float64) Duration {
	const limit = float64(math.MaxInt64) / float64(time.Second)
	switch {
	case f >= limit:
		return math.MaxInt64
	case f <= -limit:
		return math.MinInt64
	}
	return Duration(f * float64(time.Second))
}
