package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paicli/llm"
	"paicli/llm/catalog"
)

// written is the body of a request as it is sent.
func written(p *past, e catalog.Entry, req *llm.Request) []byte {
	content, _ := p.build(&builder{quirks: e.Quirks, info: e.Info}, req)
	return bytes.Join(content, nil)
}

// atOnce writes a request in one go, without a past and its borders.
func atOnce(d *builder, req *llm.Request) []byte {
	tools := d.offered(req)
	h := d.head(req.System, tools)
	b := h.data
	for i, e := range ending(arrange(nil, req.Messages, newIDMap(d.quirks.IDs))) {
		if i > 0 {
			b = append(b, ',')
		}
		b = d.message(b, &e)
	}
	b, _ = d.fields(append(b, ']'), nil, d.tail(req, len(tools) > 0))
	return append(b, '}')
}

// everyEntry is each provider and model of the catalogue and a server that it does not know.
func everyEntry(t testing.TB) map[string]catalog.Entry {
	entries := map[string]catalog.Entry{"unknown": entryOf(t, "", "foo", "https://llm.example.test/v1")}
	for _, p := range catalog.Providers() {
		entries[p.ID] = entryOf(t, p.ID, "", "")
		for _, m := range p.Models {
			entries[p.ID+"/"+m.ID] = entryOf(t, p.ID, m.ID, "")
		}
	}
	return entries
}

// step changes a conversation: it grows, goes back, is compacted, or says something more.
func (c *conversation) step() {
	n := len(c.messages)
	switch c.rnd.IntN(10) {
	case 0:
		c.messages = slices.Clone(c.messages[:c.rnd.IntN(n)])
		c.user()
	case 1:
		c.messages = slices.Clone(c.messages[c.rnd.IntN(n):])
		c.messages[0] = llm.Text(llm.RoleUser, "summary")
	case 2: // the same words in other memory
		k := c.rnd.IntN(n)
		c.messages = slices.Clone(c.messages)
		c.messages[k].Blocks = slices.Clone(c.messages[k].Blocks)
	case 3:
		c.user()
	case 4: // cut without a user's word: results may be missing, the last may be the assistant's
		c.messages = slices.Clone(c.messages[:1+c.rnd.IntN(n)])
	default:
		c.grow()
	}
}

// randomRequest asks with a conversation; tools, system and wishes differ now and then.
func randomRequest(rnd *rand.Rand, messages []llm.Message) *llm.Request {
	req := &llm.Request{
		System: "You are a coding agent.", Messages: messages, Limits: llm.Limits{MaxOutput: rnd.IntN(3) * 1000},
		Tools:      []llm.ToolSpec{{Name: "mcp.bash", Schema: json.RawMessage(`{"properties":{"a":{"type":"string"}}}`)}, {Name: "read"}},
		ToolChoice: []llm.ToolChoice{"", llm.ChoiceAuto, llm.ChoiceNone}[rnd.IntN(3)],
	}
	switch rnd.IntN(8) {
	case 0:
		req.Tools = nil
	case 1:
		req.System = []string{"", "other"}[rnd.IntN(2)]
	}
	return req
}

// randomBuilder is a builder for a server about which something was learned now and then.
func randomBuilder(rnd *rand.Rand, e catalog.Entry) *builder {
	d := &builder{quirks: e.Quirks, info: e.Info}
	if rnd.IntN(12) == 0 {
		d.known = learned{echo: true, dropped: []string{"reasoning_content", "stream_options"}[rnd.IntN(2):]}
	}
	return d
}

// What is kept changes no byte: with two conversations in turn, each going back, being compacted and
// growing, and with what was sent before staying as it was.
func TestKeptEqualsFresh(t *testing.T) {
	for name, e := range everyEntry(t) {
		for seed := range uint64(4) {
			rnd := rand.New(rand.NewPCG(seed, 2))
			talks := []*conversation{{rnd: rnd}, {rnd: rnd}}
			talks[0].user()
			talks[1].user()
			var kept past
			var sent []body
			var copies [][]byte
			for step := range 40 {
				c := talks[rnd.IntN(2)]
				c.step()
				d, req := randomBuilder(rnd, e), randomRequest(rnd, c.messages)
				content, optional := kept.build(d, req)
				fresh, optional2 := new(past).build(d, req)
				got := bytes.Join(content, nil)
				if !bytes.Equal(got, bytes.Join(fresh, nil)) || !slices.Equal(optional, optional2) || !bytes.Equal(got, atOnce(d, req)) {
					t.Fatalf("%s, seed %d, step %d:\nkept  %s\nfresh %s\nwhole %s", name, seed, step, got, bytes.Join(fresh, nil), atOnce(d, req))
				}
				sent, copies = append(sent, content), append(copies, got)
			}
			for i := range sent {
				if !bytes.Equal(bytes.Join(sent[i], nil), copies[i]) {
					t.Fatalf("%s, seed %d: body %d was changed after it was sent", name, seed, i)
				}
			}
			if len(kept.heads) > mostHeads || len(kept.lines) > mostLines {
				t.Fatalf("%d heads and %d conversations are kept", len(kept.heads), len(kept.lines))
			}
		}
	}
}

func TestOnlyWhatIsNewIsWritten(t *testing.T) {
	d := &builder{quirks: entryOf(t, "deepseek", "", "").Quirks}
	var kept past
	main, other := longTalk(200), longTalk(100)
	first, _ := kept.build(d, main)
	for range 3 {
		main.Messages = append(main.Messages, turnOf(len(main.Messages))...)
		kept.build(d, other) // by another agent, in between
		next, _ := kept.build(d, main)
		if &next[0][0] != &first[0][0] {
			t.Error("the tools and the system text were written again")
		}
		if len(next[1]) < 40*len(next[2]) {
			t.Errorf("%d bytes are kept, %d are new", len(next[1]), len(next[2]))
		}
	}
	if len(kept.lines) != 2 {
		t.Errorf("%d conversations are kept", len(kept.lines))
	}
}

func TestParallelBuilds(t *testing.T) {
	e := entryOf(t, "kimi", "", "")
	shared := longTalk(40).Messages
	var kept past
	var wg sync.WaitGroup
	for n := range uint64(6) {
		wg.Go(func() {
			c := &conversation{rnd: rand.New(rand.NewPCG(n, 3)), messages: slices.Clip(shared)}
			for range 30 {
				c.step()
				d, req := randomBuilder(c.rnd, e), randomRequest(c.rnd, c.messages)
				content, _ := kept.build(d, req)
				raw, err := io.ReadAll(content.reader())
				if want := atOnce(d, req); err != nil || !bytes.Equal(raw, want) || content.size() != len(want) {
					t.Errorf("%v\n%s\n%s", err, raw, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

// turnOf is one more step of a conversation that has n messages.
func turnOf(n int) []llm.Message {
	id := fmt.Sprint("call_", n)
	return []llm.Message{
		says(llm.RoleAssistant, think("why"), text("next"), asks(id, "bash", `{"command":"ls -l"}`)),
		result(id, strings.Repeat("some output of a command\n", 80)),
	}
}

// longTalk is a request after n messages.
func longTalk(n int) *llm.Request {
	req := &llm.Request{System: "s", Tools: []llm.ToolSpec{{Name: "bash", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}}}
	for len(req.Messages) < n {
		req.Messages = append(req.Messages, turnOf(len(req.Messages))...)
	}
	return req
}

// BenchmarkBuild writes a request of 10, 100 and 1,000 messages from the start.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			req := longTalk(n)
			d := &builder{quirks: entryOf(b, "deepseek", "", "").Quirks}
			size := 0
			b.ReportAllocs()
			for b.Loop() {
				content, _ := new(past).build(d, req)
				size = content.size()
			}
			b.SetBytes(int64(size))
		})
	}
}

// BenchmarkBuildNext writes the request that follows one of 10, 100 and 1,000 messages. cold/next says
// how many times as long the same takes from the start.
func BenchmarkBuildNext(b *testing.B) {
	const steps = 32 // before the conversation begins anew, so that its length stays what it says
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := &builder{quirks: entryOf(b, "deepseek", "", "").Quirks}
			var kept *past
			var req *llm.Request
			var cold time.Duration
			left, begun := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				if left == 0 {
					b.StopTimer()
					req, kept, left = longTalk(n), new(past), steps
					start := time.Now()
					kept.build(d, req)
					cold += time.Since(start)
					begun++
					b.StartTimer()
				}
				left--
				req.Messages = append(req.Messages, turnOf(len(req.Messages))...)
				kept.build(d, req)
			}
			b.ReportMetric(float64(cold)/float64(begun)/(float64(b.Elapsed())/float64(b.N)), "cold/next")
		})
	}
}
