package work

import (
	"errors"
	"fmt"
)

// Code classifies an error for machines. Each door maps the codes once: to an
// HTTP status, to an exit status, to an MCP error.
type Code string

const (
	Invalid     Code = "invalid"     // the caller must change the request
	NotFound    Code = "not_found"   // no such thing
	Conflict    Code = "conflict"    // what is there stands against it: a dirty file, a moved trunk, a merge conflict
	Busy        Code = "busy"        // in use, or no slot is free; try later
	Untrusted   Code = "untrusted"   // the repository's commands changed since the user trusted them
	Unavailable Code = "unavailable" // something of the machine is missing: a program, disk space, a permission
	Internal    Code = "internal"    // ours: details go to the log
)

// An Error is safe to show to the user. Everything that is not an Error is
// Internal, and its text stays in the log.
type Error struct {
	Code Code
	Msg  string   // what is wrong and where: no capital, no full stop
	Next string   // what to do about it, one sentence; may be ""
	List []string // the paths, commands or findings it is about
	Err  error    // the cause, for the log
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Msg
	}
	return e.Msg + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error without a cause; see Hide for one that keeps it.
func Errorf(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Msg: fmt.Sprintf(format, args...)}
}

// Hide returns an Error that shows msg and keeps err for the log.
func Hide(c Code, err error, msg string) *Error {
	return &Error{Code: c, Msg: msg, Err: err}
}

// Do adds the next step to e and returns it.
func (e *Error) Do(next string) *Error {
	e.Next = next
	return e
}

// CodeOf returns the code of the first Error in err's chain, or Internal.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// Public returns the part of err that may be shown.
func Public(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return &Error{Code: e.Code, Msg: e.Msg, Next: e.Next, List: e.List}
	}
	return &Error{Code: Internal, Msg: "internal error", Next: "The details are in serve.log of the data folder."}
}
