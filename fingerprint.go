package tq

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// Failures of one cause differ in ids, paths and numbers. The fingerprint of an
// error is what is left without them, so that two thousand dead tasks are the
// three things that went wrong.

const (
	maxTitle        = 200 // characters of a title
	fingerprintSize = 6   // bytes; twice as many hex digits
)

// The variable parts of an error's line.
var (
	uuidText    = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	timeText    = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?`)
	urlText     = regexp.MustCompile(`\b[a-z][a-z+.-]*://[^\s"'<>]+`)
	quotedText  = regexp.MustCompile("\"[^\"]*\"|`[^`]*`")
	hostText    = regexp.MustCompile(`(?i)\b[a-z0-9-]+(\.[a-z0-9-]+)*\.(com|org|net|io|dev|local|internal|example)(:\d+)?\b`)
	addressText = regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b`)
	pathText    = regexp.MustCompile(`(^|[\s(=:])(~|[A-Za-z]:)?[/\\][^\s:,)"']+`)
	hexText     = regexp.MustCompile(`(?i)\b(0x[0-9a-f]+|[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]*|[0-9a-f]*[a-f][0-9a-f]*\d[0-9a-f]*)\b`)
	numberText  = regexp.MustCompile(`\d+(\.\d+)?`)
)

// variable lists them in the order in which they are taken out, and what stands
// for them then.
func variable() []variablePart {
	return []variablePart{
		{uuidText, "<id>"},
		{timeText, "<time>"},
		{urlText, "<url>"},
		{quotedText, "<text>"},
		{hostText, "<host>"},
		{addressText, "<host>"},
		{pathText, "$1<path>"},
		{hexText, "<id>"},
		{numberText, "<n>"},
	}
}

type variablePart struct {
	pattern *regexp.Regexp
	name    string
}

// leadingStatus is a status of HTTP at the beginning of a line: it is the cause,
// not one of its numbers.
var leadingStatus = regexp.MustCompile(`^(?:HTTP |status )?[1-5]\d\d\b`)

var exitStatus = regexp.MustCompile(`^exit status \d+$`)

// Fingerprint answers what errors of one cause have in common: a short name of
// the cause, and a line for people with <n>, <id>, <path> and the like in the
// place of what differs. Only the error's first telling line counts.
func Fingerprint(taskType, text string) (fingerprint, title string) {
	exit, line := tellingLine(text)
	if line != exit { // else the status is all that tells one cause from another
		status := leadingStatus.FindString(line)
		line = status + constant(line[len(status):])
	}
	title = cutRunes(strings.Join(strings.Fields(line), " "), maxTitle)
	sum := sha256.Sum256([]byte(taskType + "\n" + exit + "\n" + title))
	return hex.EncodeToString(sum[:fingerprintSize]), title
}

// constant is a line with names in the place of what varies.
func constant(line string) string {
	for _, v := range variable() {
		line = v.pattern.ReplaceAllString(line, v.name)
	}
	return line
}

// tellingLine is the first line that says something; that a program ended with
// a status says little when another line follows.
func tellingLine(text string) (exit, line string) {
	for each := range strings.Lines(text) {
		each = strings.TrimSpace(each)
		switch {
		case each == "":
		case exit == "" && exitStatus.MatchString(each):
			exit = each
		default:
			return exit, each
		}
	}
	return exit, exit
}

func cutRunes(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}
