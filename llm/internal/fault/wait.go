package fault

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"paicli/llm"
)

// longestWait bounds what is believed of a server: a reset further away than a month is a mistake.
const longestWait = 31 * 24 * time.Hour

// wait is how long the server asks to stay away, from the most to the least exact source:
// millisecond headers, Retry-After, reset headers, numbers in the body, words.
func (s *signs) wait(kind llm.ErrorKind) time.Duration {
	switch kind {
	case llm.ErrRateLimit, llm.ErrQuota, llm.ErrOverloaded, llm.ErrServer:
	default:
		return 0
	}
	now := s.Now
	if now.IsZero() {
		now = time.Now()
	}
	if t, err := http.ParseTime(s.Header.Get("Date")); err == nil {
		now = t // both ends of the difference on the server's clock
	}
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if ms, err := strconv.ParseFloat(strings.TrimSpace(s.Header.Get(name)), 64); err == nil && ms > 0 {
			return seconds(ms / 1000)
		}
	}
	if d := headerWait(s.Header.Get("Retry-After"), now); d > 0 {
		return d
	}
	if kind == llm.ErrServer {
		return 0
	}
	if d := resetWait(s.Header, now); d > 0 {
		return d
	}
	if s.delay > 0 {
		return min(s.delay, longestWait)
	}
	return textWait(s.detail, now)
}

// headerWait reads seconds, a Go-like duration (6m0s, 88ms), a Unix time in seconds or
// milliseconds, an HTTP date or an RFC 3339 time. Anything else, and the past, is 0.
func headerWait(v string, now time.Time) time.Duration {
	v = strings.TrimSpace(v)
	if v == "" {
		return 0
	}
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		switch {
		case n > 1e11: // milliseconds since 1970
			n = n/1000 - float64(now.UnixMilli())/1000
		case n > 1e9: // seconds since 1970
			n -= float64(now.UnixMilli()) / 1000
		}
		return seconds(n)
	}
	if d, err := time.ParseDuration(v); err == nil {
		return seconds(d.Seconds())
	}
	if t, err := http.ParseTime(v); err == nil {
		return seconds(t.Sub(now).Seconds())
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return seconds(t.Sub(now).Seconds())
	}
	return 0
}

// seconds is n seconds, 0 for what is no future, and never more than longestWait.
func seconds(n float64) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	if n > longestWait.Seconds() {
		return longestWait
	}
	return time.Duration(n * float64(time.Second))
}

// resetWait is the longest of the reset headers. One that has a remaining count beside it counts
// only when nothing remains.
func resetWait(h http.Header, now time.Time) time.Duration {
	var longest time.Duration
	for name, values := range h {
		low := strings.ToLower(name)
		if len(values) == 0 || !strings.Contains(low, "ratelimit") || !strings.Contains(low, "reset") {
			continue
		}
		if left := h.Get(strings.Replace(low, "reset", "remaining", 1)); left != "" && left != "0" {
			continue
		}
		longest = max(longest, headerWait(values[0], now))
	}
	return longest
}

var waitForms = sync.OnceValue(func() []*regexp.Regexp {
	const n = `(\d+(?:\.\d+)?)\s*`
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)(?:after|in|wait|within)\s+(?:about\s+)?((?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?(?:ms|s|m|h))\b`),
		regexp.MustCompile(`(?i)(?:after|in|wait|within)\s+(?:about\s+)?` + n + `(milliseconds?|seconds?|secs?|minutes?|mins?|hours?|days?)\b`),
		regexp.MustCompile(n + `(毫秒|秒|分钟|小时|天)后?`),
	}
})

var resetForms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:reset|until|after|重置|恢复)\D{0,12}(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?`)
})

// textWait finds a wait in a sentence: "retry after 45 seconds", "try again in 1m3.5s",
// "will reset at 2026-12-04T00:00:00Z".
func textWait(text string, now time.Time) time.Duration {
	forms := waitForms()
	if m := forms[0].FindStringSubmatch(text); m != nil {
		if d, err := time.ParseDuration(strings.ToLower(m[1])); err == nil {
			return seconds(d.Seconds())
		}
	}
	for _, re := range forms[1:] {
		if m := re.FindStringSubmatch(text); m != nil {
			n, _ := strconv.ParseFloat(m[1], 64)
			return seconds(n * unitSeconds(m[2]))
		}
	}
	if m := resetForms().FindStringSubmatch(text); m != nil {
		return resetTime(m[1], m[2], strings.ToUpper(m[3]), now)
	}
	return 0
}

func unitSeconds(unit string) float64 {
	switch u := strings.ToLower(unit); {
	case strings.HasPrefix(u, "mil"), u == "毫秒":
		return 0.001
	case strings.HasPrefix(u, "s"), u == "秒":
		return 1
	case strings.HasPrefix(u, "m"), u == "分钟":
		return 60
	case strings.HasPrefix(u, "h"), u == "小时":
		return 3600
	}
	return 86400
}

// resetTime is the wait until a written time. One without a zone is taken as Beijing time: the
// servers that write such times are Zhipu's.
func resetTime(day, clock, zone string, now time.Time) time.Duration {
	if len(clock) == len("15:04") {
		clock += ":00"
	}
	switch zone {
	case "":
		zone = "+08:00"
	case "UTC", "GMT":
		zone = "Z"
	}
	if len(zone) == len("+0800") {
		zone = zone[:3] + ":" + zone[3:]
	}
	t, err := time.Parse(time.RFC3339, day+"T"+clock+zone)
	if err != nil {
		return 0
	}
	return seconds(t.Sub(now).Seconds())
}
