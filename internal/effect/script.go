package effect

import "strings"

// isShell reports whether name is a shell that runs shell text.
func isShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "mksh", "fish", "ash", "rbash":
		return true
	}
	return false
}

// shellCode is the text after a shell's -c option and the words behind it.
func shellCode(argv []arg) ([]arg, bool) {
	if !isShell(argv[0].name()) {
		return nil, false
	}
	for i, a := range argv[1:] {
		t := a.text
		if t == "--" || !strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "+") {
			if i > 0 && takesName(argv[i].text) {
				continue
			}
			return nil, false
		}
		if t == "--command" || !strings.HasPrefix(t, "--") && strings.Contains(t, "c") {
			if rest := skipOptions(argv[i+2:], wrapper{values: "oO"}); len(rest) > 0 {
				return rest, true
			}
		}
	}
	return nil, false
}

// takesName reports whether a shell option takes the next argument: -o pipefail, --rcfile FILE.
func takesName(opt string) bool {
	return opt == "--rcfile" || opt == "--init-file" ||
		!strings.HasPrefix(opt, "--") && len(opt) > 1 && (strings.HasSuffix(opt, "o") || strings.HasSuffix(opt, "O"))
}

// interpreterCode is the letters of the options by which an interpreter takes its program from the
// command line rather than from standard input; "" for what is no interpreter.
func interpreterCode(name string) string {
	if isShell(name) {
		return "c"
	}
	name = strings.TrimRight(name, ".0123456789")
	switch name {
	case "python", "pypy":
		return "cm"
	case "perl":
		return "eEnp"
	case "ruby":
		return "enp"
	case "node", "nodejs", "deno", "bun":
		return "ep"
	case "php":
		return "rf"
	case "pwsh", "powershell":
		return "cCfF"
	case "lua":
		return "e"
	}
	return ""
}

// Where an interpreter finds its program.
type programSource int

const (
	programInput programSource = iota
	programFile
	programModule // a module by name
	programText   // a word of the command line
)

// script says where an interpreter finds its program, and the argument that names the file.
func script(argv []arg) (file arg, from programSource) {
	name := argv[0].name()
	letters := interpreterCode(name)
	for i := 1; i < len(argv); i++ {
		t := argv[i].text
		switch {
		case t == "-" || t == "/dev/stdin" || t == "/proc/self/fd/0" || t == "/dev/fd/0":
			return arg{}, programInput
		case isShell(name) && t == "-s":
			return arg{}, programInput
		case t == "--" && i+1 < len(argv):
			return argv[i+1], programFile
		case strings.HasPrefix(t, "--eval") || strings.HasPrefix(t, "--print"):
			return valueAt(argv, i), programText
		case strings.HasPrefix(t, "--") || t == "":
		case strings.HasPrefix(t, "-"):
			if t == "-m" && strings.HasPrefix(letters, "cm") {
				return arg{}, programModule
			}
			if strings.ContainsAny(t[1:], letters) {
				return valueAt(argv, i), programText
			}
			if takesName(t) && isShell(name) {
				i++
			}
		default:
			return argv[i], programFile
		}
	}
	return arg{}, programInput
}

// valueAt is the value of the option at a place: what is glued to it, else the next argument.
func valueAt(argv []arg, i int) arg {
	if _, value, glued := strings.Cut(argv[i].text, "="); glued && strings.HasPrefix(argv[i].text, "--") {
		return arg{text: value, subs: argv[i].subs, remote: argv[i].remote}
	}
	if len(argv[i].subs) > 0 || i+1 == len(argv) {
		return argv[i]
	}
	return argv[i+1]
}
