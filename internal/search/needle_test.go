package search

import (
	"math/rand/v2"
	"testing"
)

// Both ways of looking for a needle find what comparing place by place does.
func FuzzNeedle(f *testing.F) {
	f.Add([]byte("the quick brown fox jumps over the lazy dog and then sleeps for a long while near the needle"), []byte("NEEDLE"), uint64(0b101), 0)
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), []byte("ab"), uint64(0), 3)
	f.Fuzz(func(t *testing.T, text, want []byte, fold uint64, at int) {
		if len(want) == 0 || at < 0 || at > len(text) {
			return
		}
		compareNeedle(t, text[at:], want, fold)
	})
}

func compareNeedle(t *testing.T, text, want []byte, fold uint64) {
	t.Helper()
	mask := make([]byte, len(want))
	bytes := append([]byte(nil), want...)
	for i := range bytes {
		if letter := bytes[i] | 0x20; letter >= 'a' && letter <= 'z' && fold>>(i%64)&1 == 1 {
			bytes[i], mask[i] = letter, 0x20
		}
	}
	n := newNeedle(bytes, mask)
	plainly := -1
	for i := range text {
		if n.fits(text[i:]) {
			plainly = i
			break
		}
	}
	if got := n.index(text); got != plainly {
		t.Errorf("%q fold %b in %q: %d, want %d", want, fold, text, got, plainly)
	}
	if got := indexByWord(&n, text); got != plainly {
		t.Errorf("%q fold %b in %q: by words %d, want %d", want, fold, text, got, plainly)
	}
}

// indexByWord is index on a machine without the quicker way.
func indexByWord(n *needle, text []byte) int {
	places := len(text) - len(n.bytes) + 1
	for at := 0; at < places; at++ {
		if at = n.pairByWord(text, at, places); at < places && n.fits(text[at:]) {
			return at
		}
	}
	return -1
}

func TestNeedle(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	letters := func(n int) []byte {
		p := make([]byte, n)
		for i := range p {
			p[i] = "abAB_e"[rng.IntN(6)]
		}
		return p
	}
	for range 20_000 {
		text := letters(rng.IntN(300))
		compareNeedle(t, text[min(len(text), rng.IntN(70)):], letters(1+rng.IntN(6)), rng.Uint64())
	}
}
