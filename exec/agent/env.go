package agent

import (
	"slices"
	"strconv"
	"strings"

	"example.com/tq"
)

// usual is what every command of an attempt inherits: what a program needs to
// find its tools and files, and no credentials.
func usual() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP",
		"XDG_*", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "GONOSUMDB", "GOSUMDB", "GOTOOLCHAIN", "GOTMPDIR",
		"CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "NVM_DIR", "NPM_CONFIG_CACHE", "VIRTUAL_ENV",
		"SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT", "COMSPEC",
	}
}

// inherit picks from environ what a list allows. The queue's own credentials
// are never among it.
func inherit(environ, allow []string) []string {
	kept := []string{}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if name == "TQ_TOKEN" || name == "TQ_DB" || !slices.ContainsFunc(allow, func(a string) bool { return matches(a, name) }) {
			continue
		}
		kept = append(kept, pair)
	}
	return kept
}

func matches(pattern, name string) bool {
	if prefix, any := strings.CutSuffix(pattern, "*"); any {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

// taskEnv tells a command which attempt it belongs to. Colors and questions are
// off, and a push goes nowhere.
func taskEnv(t *tq.Task) []string {
	env := []string{
		"NO_COLOR=1", "TERM=dumb", "CI=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true",
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url." + nowhere + ".pushInsteadOf", "GIT_CONFIG_VALUE_0=",
		"TQ_TASK_ID=" + strconv.FormatInt(t.ID, 10),
		"TQ_ATTEMPT=" + strconv.Itoa(t.Attempt),
		"TQ_FENCE=" + strconv.FormatInt(t.Epoch, 10),
	}
	if t.Traceparent != "" {
		env = append(env, "TRACEPARENT="+t.Traceparent)
	}
	return env
}

// nowhere takes the place of every address that git would push to.
const nowhere = "/dev/null/tq-does-not-push/"
