package llm

import (
	"errors"
	"fmt"
	"time"
)

// ErrorKind is the class of a failed model call. The words are part of the output formats.
type ErrorKind string

// The classes of errors.
const (
	ErrAuth            ErrorKind = "auth"
	ErrRateLimit       ErrorKind = "rate_limit"
	ErrQuota           ErrorKind = "quota"
	ErrOverloaded      ErrorKind = "overloaded"
	ErrContextOverflow ErrorKind = "context_overflow"
	ErrPayloadTooLarge ErrorKind = "payload_too_large"
	ErrInvalidRequest  ErrorKind = "invalid_request"
	ErrContentFilter   ErrorKind = "content_filter"
	ErrNetwork         ErrorKind = "network"
	ErrStall           ErrorKind = "stall"
	ErrServer          ErrorKind = "server"
	ErrBadStream       ErrorKind = "bad_stream"
	ErrEmpty           ErrorKind = "empty"
	ErrConfig          ErrorKind = "config"
)

// Recover names the one change that can make a refused request work.
type Recover string

// The recoveries.
const (
	RecoverNone        Recover = ""
	RecoverCompact     Recover = "compact"      // shorten the history, then send
	RecoverStripImages Recover = "strip_images" // replace old images by a note, then send
	RecoverDropImages  Recover = "drop_images"  // send once without images
	RecoverDropParam   Recover = "drop_param"   // leave out the parameter named in Param, remember it, send once
)

// Error is a failed model call. Detail is the provider's own text, shortened and without markup;
// words for people are made from the fields by the front ends.
type Error struct {
	Kind       ErrorKind
	Status     int           // HTTP status, 0 if there was none
	Code       string        // the provider's own code, if any
	Detail     string        // the provider's own words
	Provider   string        // provider id
	Model      string        // model id as asked for
	URL        string        // where the request went, without query
	RetryAfter time.Duration // what the server asked to wait, 0 = not said
	Retryable  bool          // the class may be tried again (Retry decides whether it is)
	Attempts   int           // most attempts for this class, 0 = the decorator's own limit
	Recover    Recover
	Param      string // with RecoverDropParam
	Window     int    // the true context window if the error told it
	Err        error  // the cause below, if any
}

func (e *Error) Error() string {
	s := string(e.Kind)
	if e.Status != 0 {
		s = fmt.Sprintf("%s (%d)", s, e.Status)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	} else if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// AsError finds the *Error in err, or nil.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
