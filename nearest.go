package tq

// Nearest is the one of known that name was most likely meant to be: the one
// that takes the fewest keystrokes to get to, "" when none is near enough for a
// slip of the hand.
func Nearest(name string, known []string) string {
	best, least := "", 3
	for _, other := range known {
		if d := keystrokes(name, other); d < least && d < len(other) {
			best, least = other, d
		}
	}
	return best
}

// keystrokes is how many letters of a have to be put in, left out or replaced
// until it reads b.
func keystrokes(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
