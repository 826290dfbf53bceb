package tq

import "time"

// Backoff is the wait between a failed attempt and the next:
// min(Cap, Base · Factor^(attempt−1)), give or take 20 %. The zero value means
// 2 s, 1 h and 2 (spec S16).
type Backoff struct {
	Base   Duration `json:"base_seconds,omitempty"`
	Cap    Duration `json:"cap_seconds,omitempty"`
	Factor float64  `json:"factor,omitempty"` // 1 to 100
}

const (
	backoffBase   = 2 * time.Second
	backoffCap    = time.Hour
	backoffFactor = 2
	backoffSpread = 0.2
	maxFactor     = 100
)

// Delay is the wait after the given attempt, counted from 1. jitter in −1…1
// says where in the ±20 % it falls. The answer lies in 0…MaxDelay at any
// attempt number: the power is cut off before it can overflow.
func (b *Backoff) Delay(attempt int, jitter float64) time.Duration {
	base, ceiling, factor := b.values()
	d := base
	for i := 1; i < attempt && d < ceiling && factor > 1; i++ {
		d *= factor
	}
	d = min(d, ceiling)
	d *= 1 + backoffSpread*max(-1, min(1, jitter))
	return time.Duration(min(d, MaxDelay.Seconds()) * float64(time.Second))
}

func (b *Backoff) values() (base, ceiling, factor float64) {
	base, ceiling, factor = backoffBase.Seconds(), backoffCap.Seconds(), backoffFactor
	if b == nil {
		return base, ceiling, factor
	}
	if b.Base > 0 {
		base = b.Base.Std().Seconds()
	}
	if b.Cap > 0 {
		ceiling = b.Cap.Std().Seconds()
	}
	if b.Factor > 0 {
		factor = b.Factor
	}
	return base, ceiling, factor
}

func (b *Backoff) check() *Error {
	if b == nil {
		return nil
	}
	if err := checkDuration("backoff.base_seconds", b.Base, 0, MaxDelay); err != nil {
		return err
	}
	if err := checkDuration("backoff.cap_seconds", b.Cap, 0, MaxDelay); err != nil {
		return err
	}
	if b.Factor != 0 && !(b.Factor >= 1 && b.Factor <= maxFactor) {
		return invalidField("backoff.factor", "out_of_range", "is %v, want 1 to %d", b.Factor, maxFactor)
	}
	return nil
}

// Jitter is the place of one attempt in the spread of its backoff, −1…1: the
// same for everybody who computes it, so that a repeated call gets the same
// answer, and scattered over tasks, so that what failed together does not
// return together.
func Jitter(id, epoch int64) float64 {
	x := uint64(id)*0x9e3779b97f4a7c15 + uint64(epoch)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11)/(1<<52) - 1
}
