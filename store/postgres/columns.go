package postgres

// How columns travel: what is the same in every row goes once, and what is null
// in every row not at all. An insert of 500 facts is half as dear that way.

// shared is the column, or its first value alone when that is the value of all.
// The statement gives it to the other rows: coalesce(x, ($n)[1]). It is not for
// columns in which some are null.
func shared[T comparable](column []T) []T {
	for _, v := range column {
		if v != column[0] {
			return column
		}
	}
	return column[:min(1, len(column))]
}

// sparse is the column, or nothing when all of it is null.
func sparse[T any](column []T, null func(T) bool) []T {
	for _, v := range column {
		if !null(v) {
			return column
		}
	}
	return nil
}

func noBytes(b []byte) bool { return b == nil }

func noText(s *string) bool { return s == nil }
