package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/tq"
	"example.com/tq/internal/config"
)

// Flags: their types, their other names, and where their values come from when
// they are not given.

// Annotations of a flag.
const (
	notZero  = "tq_not_zero"  // an explicit zero is refused; the value is the range to name
	argvOnly = "tq_argv_only" // neither the environment nor the file may set it
)

// aliases are other names of flags, for the hands of those who come from other
// queues. They work on every command that has the flag.
func aliases() map[string]string {
	return map[string]string{
		"deps": "after", "from": "file", "queues": "queue", "types": "type", "tags": "tag",
		"owner": "name", "until-empty": "drain", "token": "lease-token", "retry-in": "retry-delay",
		"extend": "lease", "idempotency-key": "key",
	}
}

func canonical(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if to, ok := aliases()[name]; ok {
		name = to
	}
	return pflag.NormalizedName(name)
}

// value is a flag whose text is parsed into *to.
type value[T any] struct {
	to    *T
	kind  string
	parse func(string) (T, error)
	show  func(T) string
}

func (v value[T]) Type() string { return v.kind }

func (v value[T]) String() string {
	if v.to == nil || v.show == nil {
		return ""
	}
	return v.show(*v.to)
}

func (v value[T]) Set(s string) error {
	parsed, err := v.parse(s)
	if err == nil {
		*v.to = parsed
	}
	return err
}

// durationFlag adds a flag for a length of time; *to is its default.
func durationFlag(f *pflag.FlagSet, to *time.Duration, name, use string) {
	f.Var(value[time.Duration]{to, "duration", parseDuration, showDuration}, name, use)
}

func showDuration(d time.Duration) string {
	if d == 0 {
		return "0" // pflag leaves zero defaults out of the help
	}
	return span(d)
}

// namesFlag adds a flag that may be repeated and takes names between commas.
func namesFlag(f *pflag.FlagSet, to *[]string, name, use string) {
	parse := func(s string) ([]string, error) {
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*to = append(*to, part)
			}
		}
		return *to, nil
	}
	f.Var(value[[]string]{to, "names", parse, func(s []string) string { return strings.Join(s, ",") }}, name, use)
}

// wordFlag adds a flag for one of a few words; which ones, the queue knows.
func wordFlag[T ~string](f *pflag.FlagSet, to *T, name, use string) {
	parse := func(s string) (T, error) { return T(s), nil }
	f.Var(value[T]{to, "word", parse, func(w T) string { return string(w) }}, name, use)
}

func mark(cmd *cobra.Command, key, text string, names ...string) {
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[key] = []string{text}
	}
}

// onlyArgv keeps flags that are acts, or that belong to one call, out of reach
// of the environment and the file.
func onlyArgv(cmd *cobra.Command, names ...string) { mark(cmd, argvOnly, "", names...) }

// refuseZero makes an explicit zero or empty value an error instead of the
// default, and names what is wanted.
func refuseZero(cmd *cobra.Command, want string, names ...string) { mark(cmd, notZero, want, names...) }

// onlyOne refuses flags that mean different things when given together.
func onlyOne(cmd *cobra.Command, names ...string) error {
	var set []string
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			set = append(set, "--"+name)
		}
	}
	if len(set) > 1 {
		return usage("give %s, not both", strings.Join(set, " or "))
	}
	return nil
}

// settle fills in the flags that were not given from the environment and the
// file, and refuses explicit zeros.
func (a *app) settle(cmd *cobra.Command) error {
	if err := a.fromFile(cmd); err != nil {
		return err
	}
	var wrong error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if wrong == nil {
			wrong = a.fromEnv(cmd.Flags(), f)
		}
		if wrong == nil {
			wrong = checkZero(f)
		}
	})
	return wrong
}

func checkZero(f *pflag.Flag) error {
	want, strict := f.Annotations[notZero]
	if !strict || !f.Changed {
		return nil
	}
	switch v := f.Value.String(); v {
	case "", "0", "[]":
		field := strings.ReplaceAll(f.Name, "-", "_")
		detail := "is " + or(v, "empty") + ", want " + want[0]
		return &tq.Error{
			Code: tq.CodeInvalid, Message: field + ": " + detail, Reason: "out_of_range",
			Errors: []tq.FieldError{{Pointer: "/" + field, Detail: detail, Reason: "out_of_range"}},
		}
	}
	return nil
}

// fromEnv gives a flag that nobody set the value of its TQ_ variable. An empty
// variable is none.
func (a *app) fromEnv(flags *pflag.FlagSet, f *pflag.Flag) error {
	if f.Changed || !settable(f) {
		return nil
	}
	name := config.EnvName(f.Name)
	text := a.Getenv(name)
	if text == "" {
		return nil
	}
	if err := flags.Set(f.Name, text); err != nil {
		return usage("%s: %w", name, cause(err))
	}
	return nil
}

// fromFile gives flags that neither argv nor the environment sets the value of
// their line. A key that is no flag of any command is refused.
func (a *app) fromFile(cmd *cobra.Command) error {
	file, err := a.readConfig(cmd.Root())
	if err != nil {
		return usage("%w", err)
	}
	for _, s := range file.Settings {
		f := cmd.Flags().Lookup(s.Key)
		switch {
		case f == nil && !knownKey(cmd.Root(), s.Key), f != nil && !settable(f):
			e := usage("%w", file.Wrong(s.Line, errors.New(s.Key+": unknown key")))
			return e.WithHint("keys are names of flags, as in queue = builds; tq help config")
		case f == nil, f.Changed, a.Getenv(config.EnvName(f.Name)) != "":
			continue
		}
		if err := cmd.Flags().Set(s.Key, s.Value); err != nil {
			return usage("%w", file.Wrong(s.Line, cause(err)))
		}
		if err := checkZero(f); err != nil {
			return usage("%w", file.Wrong(s.Line, err))
		}
	}
	return nil
}

func (a *app) readConfig(root *cobra.Command) (config.File, error) {
	flag := root.PersistentFlags().Lookup("config")
	path, named := flag.Value.String(), flag.Changed
	if path == "" {
		path = a.Getenv("TQ_CONFIG")
		named = path != ""
	}
	if path == "" {
		path = config.DefaultFile(a.Getenv)
	}
	if path == "" {
		return config.File{}, nil
	}
	return config.Read(path, !named)
}

func settable(f *pflag.Flag) bool {
	_, never := f.Annotations[argvOnly]
	return !never && f.Name != "help" && f.Name != "version" && f.Name != "config"
}

// knownKey reports whether any command takes the key from a file.
func knownKey(cmd *cobra.Command, key string) bool {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		if f := flags.Lookup(key); f != nil && settable(f) {
			return true
		}
	}
	for _, sub := range cmd.Commands() {
		if knownKey(sub, key) {
			return true
		}
	}
	return false
}

// cause is what is wrong with a value, without the library's words around it.
func cause(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	f, text := invalid.GetFlag(), invalid.GetValue()
	switch f.Value.Type() {
	case "int", "int64":
		return fmt.Errorf("%s: is %s, want a whole number", f.Name, strconv.Quote(cut(text, 60)))
	case "float64":
		return fmt.Errorf("%s: is %s, want a number", f.Name, strconv.Quote(cut(text, 60)))
	case "bool":
		return fmt.Errorf("%s: is %s, want true or false", f.Name, strconv.Quote(cut(text, 60)))
	}
	return fmt.Errorf("%s: %w", f.Name, invalid.Unwrap())
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
