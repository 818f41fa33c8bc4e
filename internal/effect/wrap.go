package effect

import "strings"

// maxWrappers bounds env env env ….
const maxWrappers = 64

// wrapper describes a program that runs the command in its arguments.
type wrapper struct {
	values   string // short options that take the next argument as their value
	long     string // long options that do so, between spaces
	operands int    // arguments before the command
}

// wrapperOf knows the programs that run another one.
func wrapperOf(name string) (wrapper, bool) {
	switch name {
	case "nohup", "builtin", "busybox", "toybox", "unbuffer", "caffeinate", "setsid", "command", "then", "do", "else", "!":
		return wrapper{}, true
	case "env":
		return wrapper{values: "uCS", long: " --unset --chdir --split-string "}, true
	case "timeout", "gtimeout":
		return wrapper{values: "ks", long: " --kill-after --signal ", operands: 1}, true
	case "nice":
		return wrapper{values: "n", long: " --adjustment "}, true
	case "ionice":
		return wrapper{values: "cnp", long: " --class --classdata "}, true
	case "stdbuf":
		return wrapper{values: "ioe", long: " --input --output --error "}, true
	case "time":
		return wrapper{values: "fo", long: " --format --output "}, true
	case "exec":
		return wrapper{values: "a"}, true
	case "xargs":
		return wrapper{values: "EILPRadns", long: " --max-args --max-procs --max-lines --arg-file --delimiter --replace --max-chars "}, true
	case "watch":
		return wrapper{values: "nd", long: " --interval "}, true
	case "flock":
		return wrapper{values: "wE", long: " --timeout ", operands: 1}, true
	case "taskset", "chrt":
		return wrapper{operands: 1}, true
	}
	return wrapper{}, false
}

// unwrap returns the command inside a wrapper; nil when argv is not one.
func unwrap(argv []arg) []arg {
	name := argv[0].name()
	w, ok := wrapperOf(name)
	if !ok {
		return nil
	}
	if name == "command" && len(argv) > 1 && (argv[1].text == "-v" || argv[1].text == "-V") {
		return nil // a question where a command is
	}
	rest := skipOptions(argv[1:], w)
	for name == "env" && len(rest) > 0 && strings.Contains(rest[0].text, "=") {
		rest = rest[1:]
	}
	if len(rest) <= w.operands {
		return nil
	}
	return rest[w.operands:]
}

// skipOptions drops leading options with their values.
func skipOptions(argv []arg, w wrapper) []arg {
	for len(argv) > 0 {
		t := argv[0].text
		switch {
		case t == "--":
			return argv[1:]
		case !strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "+") || t == "-":
			return argv
		case strings.HasPrefix(t, "--"):
			argv = argv[1:]
			if strings.Contains(w.long, " "+t+" ") && len(argv) > 0 {
				argv = argv[1:]
			}
		default:
			argv = argv[1:]
			if strings.IndexByte(w.values, t[len(t)-1]) >= 0 && strings.IndexAny(t[1:], w.values) == len(t)-2 && len(argv) > 0 {
				argv = argv[1:]
			}
		}
	}
	return argv
}

// unwrapAll takes all wrappers off.
func unwrapAll(argv []arg) []arg {
	for range maxWrappers {
		inner := unwrap(argv)
		if inner == nil {
			return argv
		}
		argv = inner
	}
	return argv
}

// splitString is the command line in env -S, "" when there is none.
func splitString(argv []arg) string {
	if argv[0].name() != "env" {
		return ""
	}
	for i, a := range argv[1:] {
		switch {
		case a.text == "-S" || a.text == "--split-string":
			return joined(argv[i+2:])
		case strings.HasPrefix(a.text, "-S"):
			return a.text[2:] + " " + joined(argv[i+2:])
		case strings.HasPrefix(a.text, "--split-string="):
			return strings.TrimPrefix(a.text, "--split-string=") + " " + joined(argv[i+2:])
		}
	}
	return ""
}

// isShell reports whether name is a shell that runs shell text.
func isShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "mksh", "fish", "ash", "rbash":
		return true
	}
	return false
}

// shellCode is the text after a shell's -c option.
func shellCode(argv []arg) (arg, bool) {
	if !isShell(argv[0].name()) {
		return arg{}, false
	}
	for i, a := range argv[1:] {
		t := a.text
		if t == "--" || !strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "+") {
			if i > 0 && takesName(argv[i].text) {
				continue
			}
			return arg{}, false
		}
		if t == "--command" || !strings.HasPrefix(t, "--") && strings.Contains(t, "c") {
			if rest := skipOptions(argv[i+2:], wrapper{values: "oO"}); len(rest) > 0 {
				return rest[0], true
			}
		}
	}
	return arg{}, false
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

// script is the argument from which an interpreter reads its program. It is nil when the program
// comes from standard input or from an option.
func script(argv []arg) (file *arg, fromInput bool) {
	name := argv[0].name()
	letters := interpreterCode(name)
	if letters == "" {
		return nil, false
	}
	for i := 1; i < len(argv); i++ {
		t := argv[i].text
		switch {
		case t == "-" || t == "/dev/stdin" || t == "/proc/self/fd/0" || t == "/dev/fd/0":
			return nil, true
		case isShell(name) && t == "-s":
			return nil, true
		case t == "--" && i+1 < len(argv):
			return &argv[i+1], false
		case strings.HasPrefix(t, "--eval") || strings.HasPrefix(t, "--print"):
			return nil, false
		case strings.HasPrefix(t, "--") || t == "":
		case strings.HasPrefix(t, "-"):
			if strings.ContainsAny(t[1:], letters) {
				return nil, false
			}
			if takesName(t) && isShell(name) {
				i++
			}
		default:
			return &argv[i], false
		}
	}
	return nil, true
}

// readsScript reports whether a command runs the program that it reads from standard input.
func readsScript(argv []arg) bool {
	file, fromInput := script(argv)
	if file != nil && len(file.subs) == 0 {
		return false
	}
	if name := argv[0].name(); (name == "source" || name == ".") && len(argv) > 1 {
		return argv[1].text == "/dev/stdin"
	}
	return fromInput
}
