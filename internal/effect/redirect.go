package effect

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// judged is an access with the verdict on it.
type judged struct {
	Access
	verdict Verdict
	why     string
}

// redirect judges one redirection and notes what it feeds into the command.
func (w *walker) redirect(r *syntax.Redirect, st *syntax.Stmt, in *input) []judged {
	outer := w.in
	if r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc && isOutput(r.Word) && st.Cmd != nil && w.downloads(st.Cmd) {
		w.in.download = true // what it prints goes into the command of >(…)
	}
	w.word(r.Word)
	w.in = outer
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		w.raise(Review, "sets a variable")
	}
	switch r.Op {
	case syntax.RdrIn:
		*in = input{download: w.downloads(r.Word), unknown: true, given: true}
		if text, ok := w.piped(r.Word); ok {
			in.script = text
		}
		return w.redirected(Read, r, st, in)
	case syntax.WordHdoc:
		a := arg{text: joined(w.fields(r.Word))}
		w.feed(a, in, w.downloads(r.Word) || slices.ContainsFunc(w.fields(r.Word), w.holdsFetched))
		return nil
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc != nil {
			w.word(r.Hdoc)
			w.feed(w.heredoc(r), in, w.downloads(r.Hdoc))
		}
		return nil
	case syntax.DplIn, syntax.DplOut:
		if word := r.Word.Lit(); word != "" && strings.Trim(word, "0123456789-") == "" {
			return nil
		}
		return w.redirected(Write, r, st, in)
	case syntax.RdrInOut:
		return append(w.redirected(Read, r, st, in), w.redirected(Write, r, st, in)...)
	}
	return w.redirected(Write, r, st, in)
}

// isOutput reports a word that is >(…).
func isOutput(word *syntax.Word) bool {
	if word == nil || len(word.Parts) != 1 {
		return false
	}
	sub, ok := word.Parts[0].(*syntax.ProcSubst)
	return ok && sub.Op == syntax.CmdOut
}

// piped is what the command of a word <(…) prints, as far as it is known.
func (w *walker) piped(word *syntax.Word) (string, bool) {
	if word == nil || len(word.Parts) != 1 {
		return "", false
	}
	sub, ok := word.Parts[0].(*syntax.ProcSubst)
	if !ok || sub.Op != syntax.CmdIn || len(sub.Stmts) != 1 {
		return "", false
	}
	text, _ := w.printed(sub.Stmts[0])
	return text, text != ""
}

// feed notes a text that the command reads.
func (w *walker) feed(a arg, in *input, download bool) {
	*in = input{download: download, script: a.text, unknown: !a.known(), given: true}
	if !a.known() {
		w.raise(Review, "expands a variable")
	}
}

// redirected judges the file of a redirection.
func (w *walker) redirected(verb Verb, r *syntax.Redirect, st *syntax.Stmt, in *input) []judged {
	argv := w.fields(r.Word)
	if len(argv) != 1 {
		return []judged{{Access{CannotSay, w.source(r)}, Review, "a redirection to what the text does not name"}}
	}
	a := argv[0]
	if verb == Write && isDisk(resolve(w.dir, a.text)) {
		w.deny(WriteDevice, w.source(st))
	}
	if verb == Write && st.Cmd != nil && w.downloads(st.Cmd) {
		w.saved[resolve(w.dir, a.text)] = true
	}
	if host, ok := socket(a.text); ok {
		in.download, in.given = true, true // it can be read from as well
		return []judged{{Access{Net, host}, Review, "reaches the network: " + host}}
	}
	j := w.touched(verb, a)
	if j.Target == "" && j.verdict == Allow {
		return nil
	}
	return []judged{j}
}

// socket knows the names by which bash opens connections.
func socket(p string) (host string, ok bool) {
	for _, kind := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, found := strings.CutPrefix(p, kind); found {
			host, _, _ = strings.Cut(rest, "/")
			return strings.ReplaceAll(host, unknown, "…"), true
		}
	}
	return "", false
}

// touched judges what happens to a path. Its Target is "" when nothing does.
func (w *walker) touched(verb Verb, a arg) judged {
	if !a.known() {
		j := judged{Access{CannotSay, a.part()}, Review, "a path that is known only when it runs"}
		if abs := resolve("/", strings.ReplaceAll(a.text, unknown, "_")); verb == Read && isSecret(abs, w.home, w.root) {
			j.verdict, j.why = Ask, "reads credentials: "+a.part()
		}
		return j
	}
	abs := resolve(w.dir, a.text)
	switch {
	case abs == "":
		return judged{Access{CannotSay, a.part()}, Review, "a path in a directory that is not known"}
	case isHarmless(abs):
		return judged{}
	}
	j := judged{Access: Access{verb, w.display(a.text, abs)}}
	j.verdict, j.why = w.judgePath(verb, a, abs)
	if within(abs, "/dev") && abs != "/dev" {
		j.Target = "" // devices are no files that somebody keeps
	}
	return j
}

// judgePath says who has to look at an access to a path.
func (w *walker) judgePath(verb Verb, a arg, abs string) (Verdict, string) {
	at, name := w.where(abs), shorten(w.display(a.text, abs))
	switch {
	case verb == Read && at == Secret:
		return Ask, "reads credentials: " + name
	case verb == Read && (at == Outside || at == Protected && w.whereText(abs) != Protected || !within(abs, w.root)):
		return Review, "reads outside the project: " + name
	case verb == Read && w.climbs(a.text):
		return Review, "a path through a parent directory: " + name
	case verb == Read:
		return Allow, ""
	case verb == Delete && a.found == "" && (abs == w.root || abs == w.root+"/*" && a.glob || abs == w.root+"/.git" || abs == w.root+"/.git/*"):
		return Ask, "deletes the project"
	case at >= Secret:
		return Ask, string(verb) + "s credentials or settings that run code: " + name
	case at == Outside:
		return Review, string(verb) + "s outside the project: " + name
	}
	return Review, string(verb) + "s " + name
}

// climbs reports a path whose ".." a link on the way may lead elsewhere than its text says.
func (w *walker) climbs(p string) bool {
	first := true
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." && (!first || w.dir != w.root) {
			return true
		}
		first = first && (part == ".." || part == "." || part == "")
	}
	return false
}
