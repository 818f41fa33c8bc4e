package openai

import (
	"strings"
	"testing"

	"paicli/llm"
)

// BenchmarkRead measures the reading of an answer of 4,000 chunks with 80 KB of text, of the same
// as arguments of a call, and of one line of 10 MB.
func BenchmarkRead(b *testing.B) {
	pieces := make([]string, 4000)
	args := []string{`{"index":0,"id":"a","function":{"name":"write_file","arguments":"{\"content\":\""}}`}
	for i := range pieces {
		pieces[i] = "some words of twenty"
		args = append(args, `{"index":0,"function":{"arguments":"some words of twenty"}}`)
	}
	args = append(args, `{"index":0,"function":{"arguments":"\"}"}}`)
	for _, c := range []struct{ name, body string }{
		{"chunks", texts(pieces...)},
		{"call", calls(args...)},
		{"line", texts(strings.Repeat("0123456789", 1<<20))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			r := testReading()
			for b.Loop() {
				if got := play(strings.NewReader(c.body), r); got.err != nil || got.reply.Finish == llm.FinishError {
					b.Fatal(got.err)
				}
			}
		})
	}
}
