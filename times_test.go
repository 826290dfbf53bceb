package tq

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestTimeIsWrittenWithThreeDigits(t *testing.T) {
	t.Parallel()
	for nanos, want := range map[int]string{
		0:           `"2026-11-29T16:00:00.000Z"`,
		100_000_000: `"2026-11-29T16:00:00.100Z"`,
		120_000_000: `"2026-11-29T16:00:00.120Z"`,
		123_999_999: `"2026-11-29T16:00:00.123Z"`,
	} {
		zone := time.FixedZone("east", 3*60*60)
		at := At(time.Date(2026, 11, 29, 19, 0, 0, nanos, zone))
		b, err := json.Marshal(at)
		if err != nil || string(b) != want {
			t.Errorf("got %s, %v, want %s", b, err, want)
		}
		var back Time
		if err := json.Unmarshal(b, &back); err != nil || !back.Equal(at.Time) {
			t.Errorf("%s came back as %s, %v", b, back, err)
		}
	}
}

func TestTimeWithoutAZoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"2026-11-29T16:00:00"`, `"2026-11-29"`, `"24:61"`, `""`, `"now"`, `1764432000`, `true`, `{}`,
		`"2026-13-01T00:00:00Z"`, `"2026-11-31T00:00:00Z"`, `"2026-11-29T24:61:00Z"`,
	} {
		var at Time
		if err := json.Unmarshal([]byte(text), &at); err == nil {
			t.Errorf("%s was read as %s", text, at)
		}
	}
}

func TestTimeKeepsMilliseconds(t *testing.T) {
	t.Parallel()
	if !FromMilli(0).IsZero() || (Time{}).Milli() != 0 {
		t.Error("the zero Time is not 0 milliseconds")
	}
	for _, ms := range []int64{1, -1, 1_764_432_000_123, -62_135_596_799_999} {
		if got := FromMilli(ms).Milli(); got != ms {
			t.Errorf("%d ms came back as %d", ms, got)
		}
	}
}

func TestDurationIsWrittenInSeconds(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"0": 0, "1": time.Second, "300": 300 * time.Second, "1.5": 1500 * time.Millisecond,
		"0.001": time.Millisecond, "0.12": 120 * time.Millisecond, "31536000": MaxDelay, "-2.5": -2500 * time.Millisecond,
	} {
		b, err := json.Marshal(Duration(d))
		if err != nil || string(b) != want {
			t.Errorf("%s: got %s, %v, want %s", d, b, err, want)
		}
	}
}

func TestDurationIsReadFromNumbersOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"0": 0, "5": 5 * time.Second, "0.25": 250 * time.Millisecond, "1e1": 10 * time.Second, "-1": -time.Second,
		"1e18": math.MaxInt64, "-1e18": math.MinInt64, "1e400": math.MaxInt64, "9999999999999999999": math.MaxInt64,
	} {
		var d Duration
		if err := json.Unmarshal([]byte(text), &d); err != nil || d.Std() != want {
			t.Errorf("%s: got %s, %v, want %s", text, d, err, want)
		}
	}
	for _, text := range []string{`"5"`, `"5s"`, `NaN`, `true`, `{}`, `[]`, ``} {
		var d Duration
		if err := d.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s was read as %s", text, d)
		}
	}
}

func TestAHugeDelayMeetsItsOwnLimit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1e18", "1e400", "-1", "31536000.001"} {
		var n NewTask
		if err := json.Unmarshal([]byte(`{"type":"t","delay_seconds":`+text+`}`), &n); err != nil {
			t.Fatal(err)
		}
		if _, err := n.Normal(); CodeOf(err) != CodeInvalid {
			t.Errorf("delay of %s s: got %v, want invalid", text, err)
		}
	}
}
