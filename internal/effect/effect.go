// Package effect reads a shell command line without running it and says what it would touch and how
// far it may be trusted: the paths that it reads, writes and deletes, the network, programs that may
// do anything, and what nobody can know from the text.
//
// It judges structure, not text: a word counts where it stands as a command, be it behind
// pipes, lists, substitutions, quoting, wrappers such as env or xargs, or in a string handed to a
// shell. It is a stop for accidents and saves questions about what only reads; it is not a fence:
// the sandbox is the fence. It is the only importer of the shell parser. It runs nothing, opens no
// file and knows no words for people.
//
//	text ─► parse ─► every simple command ─► wrappers off ─► rules that deny ─► table of tools ─► Analysis
//	           └─ does not parse, too long, too deep ─► pieces of the text ─► rules that deny
package effect

// Verb is what happens to a target.
type Verb string

// The verbs. They are spelled as those of a tool call's intent.
const (
	Read      Verb = "read"
	Write     Verb = "write"
	Delete    Verb = "delete"
	Run       Verb = "run"       // a program that may do anything, named as in the text: "go test", "./x"
	Net       Verb = "net"       // a host or URL; "remote" for a git remote, "registry" for packages
	Gain      Verb = "privilege" // other rights than the caller's
	CannotSay Verb = "opaque"    // the part of the text that is known only when it runs
)

// Access is one thing that a command line would do. Paths are relative to the project when inside it,
// otherwise they begin with "/" or "~".
type Access struct {
	Verb   Verb
	Target string
}

// Verdict says who has to look at a command line before it runs, from nobody to nobody can help.
type Verdict int

// The verdicts, each stricter than the one before it.
const (
	Allow  Verdict = iota // only reads inside the project
	Review                // somebody or something has to judge it
	Ask                   // a person has to
	Deny                  // never runs
)

// String is the verdict's name in settings and reports.
func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Review:
		return "review"
	case Ask:
		return "ask"
	}
	return "deny"
}

// Where is the kind of place that a path leads to.
type Where int

// The places. Secret and Protected hold wherever the path is.
const (
	Inside    Where = iota // in the project
	Outside                // elsewhere
	Secret                 // holds credentials
	Protected              // settings of programs that run code: .git, shell start-up files, editors' tasks
)

// Place is where a command line would run.
type Place struct {
	Dir  string // absolute directory in which it starts, which is the project too; "" = unknown
	Home string // absolute home directory; "" = unknown
	// Where judges an absolute clean path through real links. The path's last elements may hold shell
	// patterns. Nil judges by the text alone; the stricter judgement counts anyway.
	Where func(abs string) Where
}

// Command is one simple command of the line.
type Command struct {
	Text      string   // as written, or as its wrapper would start it
	Words     []string // what is known only at run time stands as ""
	Known     bool     // every word is literal
	Redirects []Access // what its redirections read and write
	Outputs   []Access // what files that its options name are written
	Assigns   []string // names of the variables set in front of it
	Verdict   Verdict
	Why       string // short reason when not Allow
}

// Analysis is what a command line would do.
type Analysis struct {
	Verdict  Verdict
	Finding  Finding   // the rule that denies, with Deny
	Why      string    // short English reason when not Allow
	Commands []Command // every simple command in order, those that wrappers and shells start among them
	Access   []Access  // without repetition, in order
	Opaque   bool      // a part of it is known only when it runs
	Scripts  []string  // files that it runs as programs, where the text names them
}

// Analyse reads a command line that would run at a place. It may be called concurrently.
func Analyse(command string, at Place) Analysis {
	s := newScan(at)
	w := &walker{scan: s, dir: s.root}
	w.text(command)
	s.out.Finding.Opaque = s.out.Opaque
	return s.out
}

// Check reports whether a rule forbids a command line, wherever it runs.
func Check(command string) (Finding, bool) {
	out := Analyse(command, Place{})
	return out.Finding, out.Finding.Code != ""
}

// scan is one Analyse in progress.
type scan struct {
	at      Place
	root    string // absolute, also when the place is unknown
	home    string
	out     Analysis
	seen    map[Access]bool
	funcs   map[string]declared
	tainted map[string]bool // variables whose values were fetched
	saved   map[string]bool // files that were fetched, by absolute path
	left    int             // bytes of text that may still be read; what exceeds the first reading is repetition
}

// Stand-ins for directories that are unknown. Their shape makes parents and homes what they are.
const (
	someHome = "/home/~"
	someRoot = someHome + "/_/_"
)

func newScan(at Place) *scan {
	s := &scan{at: at, root: at.Dir, home: at.Home, seen: map[Access]bool{}, funcs: map[string]declared{}, tainted: map[string]bool{}, saved: map[string]bool{}, left: maxWork}
	if s.root == "" {
		s.root = someRoot
	}
	if s.home == "" {
		s.home = someHome
	}
	return s
}

// deny records the first finding.
func (s *scan) deny(code Code, command string) {
	if s.out.Finding.Code == "" {
		s.out.Finding.Code, s.out.Finding.Command = code, shorten(command)
		s.raise(Deny, "forbidden: "+string(code))
	}
}

// raise makes the verdict on the whole line at least v.
func (s *scan) raise(v Verdict, why string) {
	if v > s.out.Verdict {
		s.out.Verdict, s.out.Why = v, why
	}
}

// add records an access once.
func (s *scan) add(a Access) {
	if a.Verb == CannotSay {
		s.out.Opaque = true
	}
	if a.Target != "" && !s.seen[a] {
		s.seen[a] = true
		s.out.Access = append(s.out.Access, a)
	}
}

// opaque records that a part of the text cannot be known.
func (s *scan) opaque(v Verdict, part, why string) {
	s.add(Access{CannotSay, shorten(part)})
	s.raise(v, why)
}
