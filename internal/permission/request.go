package permission

import (
	"strconv"
	"strings"

	"paicli/agent"
)

// maxBlocks is how many calls in a row the classifier may stop before a person is asked (the original
// PaiCLI's number).
const maxBlocks = 3

// request is what is remembered while the user's words stay the same: new words, in a new turn or
// during one, begin anew.
type request struct {
	id      string
	blocks  int               // in a row
	allowed map[string]string // what the classifier let pass, and why
}

// at is the request of the user's words. The lock is held.
func (p *Policy) at(s subject) *request {
	id := strconv.Itoa(s.turn) + "\x00" + strings.Join(s.words, "\x00")
	if p.request.id != id || p.request.allowed == nil {
		p.request = request{id: id, allowed: make(map[string]string)}
	}
	return &p.request
}

// recall reports whether the classifier let the same call pass for the same words. That ends a row of
// stops, as any call does that it lets pass.
func (p *Policy) recall(s subject, key string) (reason string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.at(s)
	if reason, ok = r.allowed[key]; ok {
		r.blocks = 0
	}
	return reason, ok
}

// remember keeps that a call was let pass.
func (p *Policy) remember(s subject, key, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.at(s)
	r.allowed[key], r.blocks = reason, 0
}

// block counts a stop and reports whether it is the last one of a row; then the count begins anew.
func (p *Policy) block(s subject) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.at(s)
	if r.blocks++; r.blocks < maxBlocks {
		return false
	}
	r.blocks = 0
	return true
}

// cacheKey tells calls apart: by their arguments and what the scripts that they run hold.
func cacheKey(call *agent.Call, scripts []script) string {
	key := call.Name + "\x00" + string(call.Args)
	for _, s := range scripts {
		key += "\x00" + s.Path + "\x00" + string(s.whole[:])
	}
	return key
}
