package agent

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// scrubber takes secrets out of what an agent prints: the values of variables
// whose names say that they are secret, and what looks like a credential.
type scrubber struct {
	values   [][]byte
	patterns []*regexp.Regexp
}

const redacted = "[redacted]"

func newScrubber(environ []string) scrubber {
	s := scrubber{patterns: credentialPatterns()}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if secretName(name) && len(value) >= 8 {
			s.values = append(s.values, []byte(value))
		}
	}
	// Longest first: one value may be the beginning of another.
	slices.SortFunc(s.values, func(a, b []byte) int { return len(b) - len(a) })
	return s
}

func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, part := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

func credentialPatterns() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`),
		regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}`),
		regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{20,}`),
		regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`),
		regexp.MustCompile(`\bAKIA[A-Z0-9]{16}\b`),
		regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{30,}`),
		regexp.MustCompile(`\bxox[abprs]-[A-Za-z0-9-]{10,}`),
		regexp.MustCompile(`\btq_[A-Za-z0-9]+_[A-Za-z0-9_-]{20,}`),
		regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+`),
		regexp.MustCompile(`(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*`),
		regexp.MustCompile(`://[^/\s:@]+:[^/\s:@]+@`),
	}
}

func (s scrubber) bytes(b []byte) []byte {
	for _, v := range s.values {
		b = bytes.ReplaceAll(b, v, []byte(redacted))
	}
	for _, p := range s.patterns {
		b = p.ReplaceAllLiteral(b, []byte(redacted))
	}
	return b
}
