package effect

import (
	"slices"
	"strings"
)

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
		return wrapper{values: "n", long: " --interval "}, true
	case "strace", "ltrace":
		return wrapper{values: "aeoEOpPsSuUI", long: " --output --trace --user "}, true
	case "fakeroot", "dbus-run-session", "xvfb-run", "rlwrap", "chronic", "prlimit", "unshare", "valgrind", "torsocks", "proxychains", "proxychains4":
		return wrapper{}, true
	case "systemd-run", "systemd-inhibit":
		return wrapper{values: "pEuHM", long: " --property --unit --setenv --what --who --why --mode --slice --description "}, true
	case "gosu", "su-exec", "faketime":
		return wrapper{operands: 1}, true
	case "sshpass":
		return wrapper{values: "pf"}, true
	case "flock":
		return wrapper{values: "wE", long: " --timeout ", operands: 1}, true
	case "taskset", "chrt":
		return wrapper{operands: 1}, true
	}
	return wrapper{}, false
}

// unwrap returns the command inside a wrapper and the variables that the wrapper sets for it.
func unwrap(argv []arg) (inner []arg, set []string, ok bool) {
	name := argv[0].name()
	w, ok := wrapperOf(name)
	if !ok || len(argv) > 1 && name == "command" && (argv[1].text == "-v" || argv[1].text == "-V") {
		return nil, nil, false // a question where a command is
	}
	rest := skipOptions(argv[1:], w)
	if name == "env" && len(rest) > 0 && rest[0].text == "-" { // -i
		rest = skipOptions(rest[1:], w)
	}
	for name == "env" && len(rest) > 0 && strings.Contains(rest[0].text, "=") {
		v, _, _ := strings.Cut(rest[0].text, "=")
		set = append(set, v)
		rest = rest[1:]
	}
	if len(rest) <= w.operands {
		return nil, set, true
	}
	return rest[w.operands:], set, true
}

// transparent reports whether a wrapper changes nothing but how long, how hard or how quietly its
// command runs.
func transparent(name string) bool {
	switch name {
	case "timeout", "gtimeout", "nice", "ionice", "time", "command", "builtin", "stdbuf", "then", "do", "else", "!":
		return true
	}
	return false
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
		inner, _, _ := unwrap(argv)
		if len(inner) == 0 {
			return argv
		}
		argv = inner
	}
	return argv
}

// xargs is the command that xargs starts: its own words, then what it reads.
func (c *cmd) xargs(inner []arg) []arg {
	mark := ""
	for i, a := range c.argv {
		if a.text == "-I" && i+1 < len(c.argv) {
			mark = c.argv[i+1].text
		} else if rest, ok := strings.CutPrefix(a.text, "-I"); ok {
			mark = rest
		}
	}
	if len(inner) == 0 {
		inner = []arg{{text: "echo"}}
	}
	given := []arg{{text: unknown, fed: true}}
	if c.in.script != "" && !c.in.unknown {
		if words := strings.Fields(strings.Map(plain, c.in.script)); len(words) > 0 {
			given = nil
			unusual := strings.ContainsAny(c.in.script, `'"\`) // quotes join words, and open ones end the reading
			for _, word := range words {
				given = append(given, arg{text: word, guess: unusual})
			}
		}
	}
	if mark == "" {
		return append(inner[:len(inner):len(inner)], given...)
	}
	if line := strings.TrimSpace(c.in.script); given[0].known() && !strings.Contains(line, "\n") { // a line is one word
		for i := range inner {
			inner[i].text = strings.ReplaceAll(inner[i].text, mark, line)
		}
		return inner
	}
	out := make([]arg, len(inner))
	for i, a := range inner {
		if a.fed = a.text == mark; strings.Contains(a.text, mark) {
			a.text = strings.ReplaceAll(a.text, mark, unknown)
		}
		out[i] = a
	}
	return out
}

// splitString is the command line that env makes of its option -S and the arguments after it, "" when
// there is none.
func splitString(argv []arg) string {
	if argv[0].name() != "env" {
		return ""
	}
	for i, a := range argv[1:] {
		rest := argv[i+2:]
		name, code, found := strings.Cut(a.text, "=")
		long := len(name) > 2 && strings.HasPrefix("--split-string", name)
		if found = found && long; !found {
			code = ""
		}
		if !found && strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") {
			_, code, found = strings.Cut(a.text, "S") // -S and -vS, glued or not
		}
		if (found && code == "" || long && a.text == name) && len(rest) > 0 {
			code, found, rest = rest[0].text, true, rest[1:]
		}
		if found {
			for _, a := range rest {
				code += " " + quote(a.text)
			}
			return code
		}
	}
	return ""
}

// quote makes one word of a text.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plainXargs reports whether xargs takes names that end in NUL and only says how many at a time.
func plainXargs(args []arg) bool {
	nul := false
	for _, a := range args {
		if a.text == "-0" || a.text == "--null" || a.text == "-r0" || a.text == "-0r" {
			nul = true
		} else if strings.Trim(a.text, "-rnP0123456789") != "" {
			return false
		}
	}
	return nul
}

// changedDir is the directory to which env changes before it starts its command.
func changedDir(argv []arg) (arg, bool) {
	for i, a := range argv[1:] {
		name, value, glued := strings.Cut(a.text, "=")
		switch {
		case strings.HasPrefix(a.text, "--c") && strings.HasPrefix("--chdir", name) && glued:
			return arg{text: value}, true
		case strings.HasPrefix(a.text, "--c") && strings.HasPrefix("--chdir", name), a.text == "-C":
			if i+2 < len(argv) {
				return argv[i+2], true
			}
		case strings.HasPrefix(a.text, "-C"):
			return arg{text: a.text[2:]}, true
		case !strings.HasPrefix(a.text, "-"):
			return arg{}, false
		}
	}
	return arg{}, false
}

// shellText is the text that programs other than shells hand to a shell.
func shellText(name string, argv []arg) ([]arg, bool) {
	w, _ := wrapperOf(name)
	rest := skipOptions(argv[1:], w)
	switch name {
	case "watch":
		return rest, len(rest) > 0 && !slices.ContainsFunc(argv, func(a arg) bool { return a.text == "-x" || a.text == "--exec" })
	case "parallel":
		rest = skipOptions(argv[1:], wrapper{values: "jnNLIdaPS", long: " --jobs --max-args --colsep --delimiter --arg-file --retries --joblog --timeout "})
		if i := slices.IndexFunc(rest, func(a arg) bool { return strings.HasPrefix(a.text, ":::") }); i >= 0 {
			rest = rest[:i]
		}
		return rest, len(rest) > 0
	case "flock":
		if len(rest) > 2 && (rest[1].text == "-c" || rest[1].text == "--command") {
			return rest[2:3], true
		}
	case "script":
		for i, a := range argv[1:] {
			if value, ok := strings.CutPrefix(a.text, "--command="); ok {
				return []arg{{text: value}}, true
			}
			short := len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.HasSuffix(a.text, "c")
			if (short || a.text == "--command") && i+2 < len(argv) {
				return argv[i+2 : i+3], true
			}
		}
	}
	return nil, false
}
