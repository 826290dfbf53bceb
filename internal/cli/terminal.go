package cli

import (
	"io"
	"os"
	"strings"
)

// isTerminal reports whether f is a terminal. /dev/null and other devices are
// not: they have no window.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && hasWindow(file)
}

// wantsColor decides for stdout: --color, then NO_COLOR, then what it is.
func wantsColor(mode string, stdout io.Writer, getenv func(string) string) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && isTerminal(stdout)
}

// onlyASCII reports whether the locale cannot show the glyphs.
func onlyASCII(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return true
}
