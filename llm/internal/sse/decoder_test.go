package sse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decodeAll gives the bytes in the given cuts to a decoder and lists its events.
func decodeAll(body []byte, cuts ...int) ([]string, error) {
	var d decoder
	var out []string
	drain := func() error {
		for {
			ev, ok, err := d.next()
			if err != nil || !ok {
				return err
			}
			out = append(out, fmt.Sprintf("%s|%s|raw=%v", ev.Name, ev.Data, ev.Raw))
		}
	}
	from := 0
	for _, cut := range append(cuts, len(body)) {
		if cut < from || cut > len(body) {
			continue
		}
		d.write(body[from:cut])
		if err := drain(); err != nil {
			return out, err
		}
		from = cut
	}
	d.end()
	return out, drain()
}

func TestDecoder(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"one event", "data: a\n\n", []string{"|a|raw=false"}},
		{"no space", "data:a\n\n", []string{"|a|raw=false"}},
		{"two spaces", "data:  a\n\n", []string{"| a|raw=false"}},
		{"named", "event: error\ndata: a\n\n", []string{"error|a|raw=false"}},
		{"the name does not outlive a blank line", "event: error\n\ndata: a\n\n", []string{"|a|raw=false"}},
		{"lines are joined", "data: a\ndata: b\n\n", []string{"|a\nb|raw=false"}},
		{"carriage returns", "data: a\r\rdata: b\r\n\r\ndata: c\n\r\n", []string{"|a|raw=false", "|b|raw=false", "|c|raw=false"}},
		{"comments, ids, unknown fields", ": x\nid: 1\nretry: 5\ndata: a\nfoo: b\n\n", []string{"|a|raw=false"}},
		{"byte order mark", "\ufeffdata: a\n\n", []string{"|a|raw=false"}},
		{"no line end", "data: a", []string{"|a|raw=false"}},
		{"no blank lines", "data: {}\ndata: {\"a\":1}\ndata: [DONE]\n", []string{"|{}|raw=false", `|{"a":1}|raw=false`, "|[DONE]|raw=false"}},
		{"names without blank lines", "event: a\ndata: {}\nevent: b\ndata: {}\n", []string{"a|{}|raw=false", "b|{}|raw=false"}},
		{"JSON, then a frame", "{\"a\":1}\n\ndata: [DONE]\n\n", []string{"|{\"a\":1}\n|raw=true", "|[DONE]|raw=false"}},
		{"noise before the first event", "hello\ndata: a\n\n", []string{"|a|raw=false"}},
		{"page", "<html>\n\nx: y</html>", []string{"|<html>\n\nx: y</html>|raw=true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := decodeAll([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestDecoderLimit(t *testing.T) {
	var d decoder
	d.write([]byte("data: "))
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range maxEvent>>20 + 1 {
		d.write(chunk)
		if _, _, err := d.next(); err != nil {
			return
		}
	}
	t.Error("a line over the limit was taken")
}

func TestSettle(t *testing.T) {
	for _, c := range []struct {
		body, want string
		ok         bool
	}{
		{`data: {"a":1}`, `{"a":1}`, true},
		{"data: {\"a\":1}\n", `{"a":1}`, true},
		{"data: [DONE]", "[DONE]", true},
		{`{"a":1}`, `{"a":1}`, true},
		{"<html></html>", "<html></html>", true},
		{`data: {"a":`, "", false},
		{"data: some te", "", false},
		{": comment", "", false},
	} {
		var d decoder
		d.write([]byte(c.body))
		if ev, ok, _ := d.next(); ok {
			t.Errorf("%q: event %q before the pause", c.body, ev.Data)
		}
		ev, ok := d.settle()
		if ok != c.ok || string(ev.Data) != c.want {
			t.Errorf("%q: got %q %v", c.body, ev.Data, ok)
		}
	}
}

// Whatever the network does to the bytes, the events are the same, and JSON in data lines comes out
// as it went in.
func FuzzSSE(f *testing.F) {
	for _, s := range []string{
		"data: a\n\ndata: b\r\n\r\n", "\ufeffdata: {}\rdata: [DONE]\r", "event: x\ndata: {\ndata: }\n\n: c\n\n",
		"{\"a\":\n1}\n\ndata: [DONE]\n\n", "<html>\n\n</html>", "data: {}\ndata: {}\n", "\xef\xbb", "data: [DONE]",
	} {
		f.Add([]byte(s), 3, 7)
	}
	f.Fuzz(func(t *testing.T, body []byte, a, b int) {
		whole, err := decodeAll(body)
		if a > b {
			a, b = b, a
		}
		for _, cuts := range [][]int{{a}, {a, b}, everyByte(len(body))} {
			got, err2 := decodeAll(body, cuts...)
			if (err == nil) != (err2 == nil) || !cmp.Equal(whole, got) {
				t.Fatalf("%q cut at %v: %q, whole: %q", body, cuts, got, whole)
			}
		}
		if json.Valid(body) && strings.HasPrefix(string(body), "{") && !bytes.ContainsAny(body, "\r\n") {
			got, _ := decodeAll([]byte("data: " + string(body) + "\n\n"))
			if len(got) != 1 || got[0] != "|"+string(body)+"|raw=false" {
				t.Fatalf("%q came out as %q", body, got)
			}
		}
	})
}

func everyByte(n int) []int {
	cuts := make([]int, n)
	for i := range cuts {
		cuts[i] = i
	}
	return cuts
}
