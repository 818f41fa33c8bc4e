package fsx

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestReplaceIsOfWhatWasSeen(t *testing.T) {
	r := project(t, Options{}, "a.txt", "theirs", "d/x", "")
	tests := []struct {
		name string
		err  error
	}{
		{"another content", r.Replace(Path{Rel: "a.txt"}, []byte("seen"), []byte("ours"))},
		{"another content of the same length", r.Replace(Path{Rel: "a.txt"}, []byte("thiers"), []byte("ours"))},
		{"deleted", r.Replace(Path{Rel: "gone.txt"}, []byte("seen"), []byte("ours"))},
		{"deleted with its directory", r.Replace(Path{Rel: "no/gone.txt"}, []byte("seen"), []byte("ours"))},
		{"made meanwhile", r.Create(Path{Rel: "a.txt"}, []byte("ours"))},
	}
	for _, tt := range tests {
		var changed *ChangedError
		if !errors.As(tt.err, &changed) || !strings.HasSuffix(changed.Path, ".txt") {
			t.Errorf("%s: %v", tt.name, tt.err)
		}
	}
	var kind *KindError
	if err := r.Create(Path{Rel: "d"}, nil); !errors.As(err, &kind) {
		t.Errorf("Create of a directory: %v", err)
	}
	if got := read(t, r, "a.txt"); got != "theirs" {
		t.Errorf("it holds %q", got)
	}
	noTemps(t, r)
}

// begun is a write that has come as far as its file beside the target.
func begun(t *testing.T, r *Root, rel, data string) *write {
	t.Helper()
	w, err := r.begin(Path{Rel: rel})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.end)
	info, err := w.writable()
	if err == nil {
		err = w.prepare([]byte(data), info)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Another program renames its file into place before the exchange, in the worst moment: after the
// last look.
func TestExchangeTakesOutAnotherFile(t *testing.T) {
	for _, how := range []string{"adopted", "put back", "faster again", "taken away"} {
		t.Run(how, func(t *testing.T) {
			r := project(t, Options{}, "a.txt", "old", "theirs", "theirs", "next", "next")
			w := begun(t, r, "a.txt", "ours")
			ours, err := w.dir.Lstat(w.temp)
			if err != nil {
				t.Fatal(err)
			}
			d, err := w.dir.Open(".")
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			rename(t, r, "theirs", "a.txt")
			if err := exchange(d, w.temp, w.name); errors.Is(err, errNoExchange) {
				t.Skip("SKIPPED: " + err.Error())
			} else if err != nil {
				t.Fatal(err)
			}
			want := "theirs"
			switch how {
			case "adopted":
				if w.held == nil {
					t.Skip("SKIPPED: no leases here")
				}
				err = w.adopt()
			case "faster again":
				rename(t, r, "next", "a.txt")
				want = "next"
				err = w.putBack(d, ours)
			case "taken away":
				rename(t, r, "a.txt", "elsewhere")
				err = w.putBack(d, ours)
			default:
				err = w.putBack(d, ours)
			}
			if err := errors.Join(err, w.discard()); err != nil {
				t.Fatal(err)
			}
			w.end()
			if got := read(t, r, "a.txt"); got != want {
				t.Errorf("a.txt holds %q", got)
			}
			noTemps(t, r)
		})
	}
}

func rename(t *testing.T, r *Root, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(r.Dir(), from), filepath.Join(r.Dir(), to)); err != nil {
		t.Fatal(err)
	}
}

// Whoever opens a file that is being exchanged waits and sees the end of it.
func TestReadersWaitForTheExchange(t *testing.T) {
	r := project(t, Options{}, "a.txt", strings.Repeat("0", 4096))
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				got, err := os.ReadFile(filepath.Join(r.Dir(), "a.txt"))
				if err != nil || len(got) != 4096 || len(bytes.Trim(got, string(got[:1]))) > 0 {
					t.Errorf("half a file: %.20q … of %d bytes, %v", got, len(got), err)
					return
				}
			}
		})
	}
	for i := range 200 {
		old, next := strings.Repeat(fmt.Sprint(i%10), 4096), strings.Repeat(fmt.Sprint((i+1)%10), 4096)
		if err := r.Replace(Path{Rel: "a.txt"}, []byte(old), []byte(next)); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	readers.Wait()
}

func TestHardLinksAreParted(t *testing.T) {
	r := project(t, Options{}, "a.txt", "old")
	if err := os.Link(filepath.Join(r.Dir(), "a.txt"), filepath.Join(r.Dir(), "b.txt")); err != nil {
		t.Skip(err)
	}
	if err := r.Replace(Path{Rel: "a.txt"}, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if a, b := read(t, r, "a.txt"), read(t, r, "b.txt"); a != "new" || b != "old" {
		t.Errorf("%q and %q", a, b)
	}
}

func TestCreateAllIsUndone(t *testing.T) {
	r := project(t, Options{}, "there/keep.txt", "x", "empty/", "")
	err := r.CreateAll([]File{
		{Path{Rel: "new/a.txt"}, []byte("1")}, {Path{Rel: "new/deep/b.txt"}, []byte("2")}, {Path{Rel: "empty/c.txt"}, nil},
		{Path{Rel: "there/keep.txt"}, []byte("3")}, {Path{Rel: "never"}, nil},
	})
	var changed *ChangedError
	if !errors.As(err, &changed) {
		t.Errorf("err: %v", err)
	}
	for name, want := range map[string]bool{"new": false, "never": false, "empty": true, "empty/c.txt": false, "there/keep.txt": true} {
		if r.exists(name) != want {
			t.Errorf("%s exists: %v", name, !want)
		}
	}
	if err := r.CreateAll([]File{{Path{Rel: "new/deep/b.txt"}, []byte("2")}}); err != nil || read(t, r, "new/deep/b.txt") != "2" {
		t.Error(err)
	}
}

func TestParseTemp(t *testing.T) {
	made, ok := parseTemp(newTemp())
	if !ok || made.pid != os.Getpid() || time.Since(made.made).Abs() > time.Minute {
		t.Errorf("%+v, %v", made, ok)
	}
	if name := newTemp(); len(name) > 40 {
		t.Errorf("%q is not short", name)
	}
	for _, name := range []string{
		"", ".paicli-", ".paicli-doctor-123", ".paicli-notes.txt", ".paicli-1-2-3", ".paicli-1-2-0123456X", ".paicli-1-2-012345678",
		".paicli--2-01234567", ".paicli-1-0-01234567", ".paicli-1-2-01234567-", "paicli-1-2-01234567", ".paicli-zzzzzzzzzzzzzzzzz-2-01234567",
	} {
		if got, ok := parseTemp(name); ok {
			t.Errorf("%q is %+v", name, got)
		}
	}
}

func TestStale(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for _, tt := range []struct {
		age   time.Duration
		alive bool
		want  bool
	}{
		{0, true, false}, {0, false, true}, {time.Minute, true, false}, {2 * time.Hour, true, true}, {-2 * time.Hour, true, true}, {-time.Second, true, false},
	} {
		got := temp{made: now.Add(-tt.age), pid: 7}.stale(now, func(pid int) bool { return tt.alive && pid == 7 })
		if got != tt.want {
			t.Errorf("age %v, alive %v: %v", tt.age, tt.alive, got)
		}
	}
	if !alive(os.Getpid()) {
		t.Error("this process is not alive")
	}
}

func FuzzParseTemp(f *testing.F) {
	for _, s := range []string{newTemp(), ".paicli-1-2-01234567", ".paicli-doctor-1", ".paicli---"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, ok := parseTemp(name); ok && (got.pid <= 0 || got.made.Unix() < 0 || !strings.HasPrefix(name, tempPrefix)) {
			t.Fatalf("%q: %+v", name, got)
		}
	})
}

func TestSweep(t *testing.T) {
	const dead = ".paicli-1-1-01234567" // of 1970: whoever has the number now is another process
	ours := newTemp()
	r := project(t, Options{}, "a.txt", "", dead, "", ours, "", "src/"+dead, "", "src/a/b/"+dead, "", ".paicli-mine", "",
		"node_modules/x/"+dead, "", "dir/"+dead+"/f", "", "link", "->a.txt")
	rename(t, r, "link", ".paicli-1-1-89abcdef")
	if err := r.Create(Path{Rel: "new.txt"}, nil); err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{
		dead: false, "src/" + dead: false, "src/a/b/" + dead: false, ours: true, ".paicli-mine": true,
		"node_modules/x/" + dead: true, "dir/" + dead + "/f": true, ".paicli-1-1-89abcdef": true,
	}
	for name, want := range left {
		if r.exists(name) != want {
			t.Errorf("%s is there: %v", name, !want)
		}
	}
	if err := r.Create(Path{Rel: "node_modules/x/new.txt"}, nil); err != nil {
		t.Fatal(err)
	}
	if r.exists("node_modules/x/" + dead) {
		t.Error("a directory that is written to was not searched")
	}
}

// The search before the first write is bounded, however large the project.
func TestSweepIsBounded(t *testing.T) {
	r := project(t, Options{})
	for i := range maxSwept + 20 {
		put(t, r.Dir(), fmt.Sprintf("d%04d/", i), "")
	}
	r.sweep(".")
	if n := len(r.swept); n != maxSwept {
		t.Errorf("%d directories searched", n)
	}
}

func TestNamesThatDifferInCaseShareALock(t *testing.T) {
	r := project(t, Options{})
	unlock := r.Lock(Path{Rel: "Read.me"})
	got := make(chan struct{})
	go func() {
		r.Lock(Path{Rel: "READ.ME"})()
		close(got)
	}()
	select {
	case <-got:
		t.Error("not locked")
	case <-time.After(10 * time.Millisecond):
	}
	unlock()
	<-got
}

func modeOf(t *testing.T, r *Root, rel string) fs.FileMode {
	t.Helper()
	info, err := r.Stat(Path{Rel: rel})
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}
