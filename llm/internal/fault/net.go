package fault

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"

	"paicli/llm"
)

// ErrSilent is the cause with which a wire ends the context of a request when a server accepts a request and then sends no header.
var ErrSilent = errors.New("no data: the server sent no answer in time")

// Network turns what the HTTP client reports into an error. ctx is that of the request: when it
// has ended for another reason than silence, its cause is the error. Code names the place of the
// fault: url, tls, dns, refused, reset, proxy, timeout, closed, silent.
func (c Call) Network(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, ErrSilent) {
		err = ErrSilent
	} else if cause != nil {
		return cause
	}
	if found := llm.AsError(err); found != nil {
		return found
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // the outer one prints the URL, which may hold a key
	}
	e := c.Error(llm.ErrNetwork, true, Line(err.Error()))
	e.Code, e.Err = networkCode(err), err
	switch e.Code {
	case "url", "tls", "proxy_auth":
		e.Kind, e.Retryable = llm.ErrConfig, false
	case "silent":
		e.Kind = llm.ErrStall
	}
	return e
}

func networkCode(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	var timeout net.Error
	text := err.Error()
	switch {
	case errors.Is(err, ErrSilent):
		return "silent"
	case badCertificate(err):
		return "tls"
	case strings.Contains(text, "Proxy Authentication Required"):
		return "proxy_auth"
	case errors.As(err, &op) && op.Op == "proxyconnect", strings.Contains(text, "proxyconnect"):
		return "proxy"
	case errors.As(err, &dns):
		return "dns"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "reset"
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "closed"
	case badURL(err, text):
		return "url"
	}
	return ""
}

func badCertificate(err error) bool {
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verify) || errors.As(err, &record) || errors.As(err, &unknown) ||
		errors.As(err, &host) || errors.As(err, &invalid) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

func badURL(err error, text string) bool {
	var parse *url.Error
	var escape url.EscapeError
	var host url.InvalidHostError
	return errors.As(err, &parse) && parse.Op == "parse" || errors.As(err, &escape) || errors.As(err, &host) ||
		strings.Contains(text, "unsupported protocol scheme") || strings.Contains(text, "no Host in request URL") ||
		strings.Contains(text, "invalid header field value") || strings.Contains(text, "invalid port") ||
		strings.Contains(text, "stopped after")
}
