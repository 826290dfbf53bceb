package ops

import (
	"errors"
	"strings"

	"example.com/tq"
)

// InRow says that err was found in a row, such as "tasks/3".
func InRow(err error, row string) error {
	return readdress(err, func(message string) string { return row + ": " + message },
		func(pointer string) string { return "/" + row + pointer })
}

// ofTheOnly takes the row out of a refusal when only one was sent.
func ofTheOnly(err error, row string) error {
	return readdress(err, func(message string) string { return strings.TrimPrefix(message, row+": ") },
		func(pointer string) string { return strings.TrimPrefix(pointer, "/"+row) })
}

func readdress(err error, message, pointer func(string) string) error {
	var e *tq.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Message = message(e.Message)
	c.Errors = make([]tq.FieldError, len(e.Errors))
	for i, f := range e.Errors {
		f.Pointer = pointer(f.Pointer)
		c.Errors[i] = f
	}
	return &c
}
