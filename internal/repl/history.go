package repl

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// history is the file of what was entered: one JSON string a line. Several processes may add to it:
// an entry is one write at the end of the file, and a file that has grown too long is replaced as a
// whole.
type history struct {
	path    string
	entries []string
}

const (
	// kept is how many entries the file keeps.
	kept = 1000
	// slack is how many more it may hold before it is written anew.
	slack = 250
	// maxEntry bounds an entry, in bytes.
	maxEntry = 1 << 20
)

// openHistory reads a file; "" keeps nothing. A file that cannot be read is an empty one, and lines
// that are no JSON strings are left out.
func openHistory(path string) *history {
	h := &history{path: path}
	f, err := os.Open(path)
	if path == "" || err != nil {
		return h
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 8*maxEntry)
	lines := 0
	for in.Scan() {
		var s string
		if lines++; json.Unmarshal(in.Bytes(), &s) == nil && s != "" {
			h.entries = append(h.entries, s)
		}
	}
	h.entries = h.entries[max(len(h.entries)-kept, 0):]
	if lines > kept+slack {
		h.rewrite() // what fails here is tried again at the next start
	}
	return h
}

// add keeps an entry, unless it repeats the last one or holds a secret.
func (h *history) add(text string) error {
	last := len(h.entries) - 1
	if last >= 0 && h.entries[last] == text || len(text) > maxEntry || secret().MatchString(text) {
		return nil
	}
	h.entries = append(h.entries, text)
	if h.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(entry(text))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func entry(text string) []byte {
	line, err := json.Marshal(text)
	if err != nil {
		return nil // a string always has a JSON form
	}
	return append(line, '\n')
}

// rewrite replaces the file by the entries that are kept.
func (h *history) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.path), "history-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriter(f)
	for _, text := range h.entries {
		w.Write(entry(text))
	}
	err = w.Flush()
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), h.path)
}

// secret matches what looks like a key or a password: a flag or variable of such a name with a value,
// and the forms that keys have.
var secret = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)--?(api-?key|token|secret|password)[ =]+\S|` +
		`\b\w*(api_?key|secret|token|password)\w*\s*=\s*\S|` +
		`\bbearer\s+[\w.-]{16}|\b(sk|ghp|gho|xox[abp])[-_][\w-]{16}`)
})

// apiKey matches the value of a key on a line that is shown.
var apiKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(--?api-?key[ =]+)\S+`)
})

// masked is a line without the keys in it.
func masked(line string) string {
	if !strings.Contains(strings.ToLower(line), "key") {
		return line
	}
	return apiKey().ReplaceAllString(line, "${1}***")
}
