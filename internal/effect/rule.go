package effect

import (
	"path"
	"strings"
)

// command judges a simple command that runs in dir and returns the directory of the next one.
func (s *scan) command(argv []arg, in input, dir string, depth int) string {
	if code := splitString(argv); code != "" {
		s.text(code, dir, depth+1)
	}
	for range maxWrappers {
		if s.runs(argv, in, dir, depth); s.done() {
			return dir
		}
		inner := unwrap(argv)
		if inner == nil {
			break
		}
		argv = inner
		if code := splitString(argv); code != "" {
			s.text(code, dir, depth+1)
		}
	}
	if name := argv[0].name(); name == "cd" || name == "pushd" {
		return changed(dir, argv[1:])
	}
	return dir
}

// changed is the directory after cd.
func changed(dir string, args []arg) string {
	args = skipOptions(args, wrapper{})
	if len(args) == 0 {
		return home
	}
	return resolve(dir, args[0].text)
}

// runs judges what a command itself does, its wrappers being off or not yet known as such.
func (s *scan) runs(argv []arg, in input, dir string, depth int) {
	name := argv[0].name()
	if isQuestion(name, argv[1:]) {
		return
	}
	if code := forbidden(name, argv[1:], dir); code != "" {
		s.deny(code, joined(argv))
		return
	}
	switch name {
	case "find":
		s.find(argv[1:], dir, depth)
	case "eval":
		s.code(argv[1:], argv, dir, depth)
	case "trap":
		if len(argv) > 1 {
			s.code(argv[1:2], argv, dir, depth)
		}
	case "source", ".":
		if len(argv) > 1 && argv[1].downloads() {
			s.deny(RemoteScript, joined(argv))
		}
	}
	if code, ok := shellCode(argv); ok {
		s.code([]arg{code}, argv, dir, depth)
		return
	}
	if file, _ := script(argv); file != nil && file.downloads() {
		s.deny(RemoteScript, joined(argv))
	}
	if readsScript(argv) {
		s.feed(in, argv, dir, depth)
	}
}

// code judges text that a command runs as shell code.
func (s *scan) code(text, argv []arg, dir string, depth int) {
	for _, a := range text {
		if a.downloads() {
			s.deny(RemoteScript, joined(argv))
			return
		}
	}
	s.text(strings.ReplaceAll(joined(text), unknown, "_"), dir, depth+1)
}

// feed judges an interpreter that runs its standard input.
func (s *scan) feed(in input, argv []arg, dir string, depth int) {
	if in.download {
		s.deny(RemoteScript, joined(argv))
	}
	if in.script != "" && isShell(argv[0].name()) {
		s.text(strings.ReplaceAll(in.script, unknown, "_"), dir, depth+1)
	}
}

// isQuestion reports whether a command only asks a program about itself. Privilege tools are never
// asked.
func isQuestion(name string, args []arg) bool {
	return !isPrivilege(name) && len(args) == 1 && (args[0].text == "--version" || args[0].text == "--help")
}

func isPrivilege(name string) bool {
	switch name {
	case "sudo", "sudoedit", "doas", "su", "pkexec", "run0":
		return true
	}
	return false
}

// isDownload reports whether a command prints what it fetches. Saving it to a file counts as well:
// the rule asks only whether anything is piped on.
func isDownload(argv []arg) bool {
	name := argv[0].name()
	return name == "curl" || name == "wget"
}

// forbidden judges a command by its name and arguments.
func forbidden(name string, args []arg, dir string) Code {
	switch {
	case isPrivilege(name):
		return Privilege
	case name == "mkfs", strings.HasPrefix(name, "mkfs."), name == "mke2fs", name == "newfs":
		return FormatDisk
	}
	switch name {
	case "rm":
		return tree(DeleteTree, args, "rR", "--recursive", 0, dir)
	case "chmod", "chown", "chgrp":
		return tree(OpenTree, args, "R", "--recursive", 1, dir)
	case "dd":
		for _, a := range args {
			if to, ok := strings.CutPrefix(a.text, "of="); ok && isDevice(to) {
				return WriteDevice
			}
		}
	case "tee":
		for _, a := range args {
			if isDisk(a.text) {
				return WriteDevice
			}
		}
	case "shutdown", "reboot", "halt", "poweroff":
		return PowerOff
	case "systemctl", "init", "telinit":
		return power(name, args)
	}
	return ""
}

// power judges the programs that switch a machine off among other things.
func power(name string, args []arg) Code {
	for _, a := range args {
		switch a.text {
		case "poweroff", "reboot", "halt", "kexec":
			return PowerOff
		case "0", "6":
			if name != "systemctl" {
				return PowerOff
			}
		}
	}
	return ""
}

// tree judges a command that goes down directory trees when it has a flag: rm, chmod, chown. skip
// is the number of operands before the paths. Options may follow paths and be abbreviated, as GNU
// programs allow.
func tree(code Code, args []arg, short, long string, skip int, dir string) Code {
	recursive, only := false, false
	var operands []string
	for _, a := range args {
		t := a.text
		switch {
		case only || !strings.HasPrefix(t, "-") || t == "-":
			operands = append(operands, t)
		case t == "--":
			only = true
		case strings.HasPrefix(t, "--"):
			recursive = recursive || len(t) > 2 && strings.HasPrefix(long, strings.ToLower(t))
		default:
			recursive = recursive || strings.ContainsAny(t[1:], short)
		}
	}
	if !recursive || len(operands) <= skip {
		return ""
	}
	for _, p := range operands[skip:] {
		if isProtected(resolve(dir, p)) {
			return code
		}
	}
	return ""
}

// find judges a find: where it starts, and what it runs on what it finds.
func (s *scan) find(args []arg, dir string, depth int) {
	expr := 0
	for expr < len(args) {
		t := args[expr].text
		if t == "-D" {
			expr++
		} else if t != "-H" && t != "-L" && t != "-P" && !strings.HasPrefix(t, "-O") && startsExpression(t) {
			break
		}
		if root := resolve(dir, t); !strings.HasPrefix(t, "-") && (root == "/" || root == home || root == "/*") {
			s.deny(SearchDisk, "find "+joined(args))
			return
		}
		expr++
	}
	s.findActions(args[min(expr, len(args)):], args[:min(expr, len(args))], dir, depth)
}

func startsExpression(t string) bool {
	return strings.HasPrefix(t, "-") || t == "(" || t == "!" || t == ","
}

func (s *scan) findActions(expr, starts []arg, dir string, depth int) {
	for i := 0; i < len(expr); i++ {
		switch expr[i].text {
		case "-delete":
			for _, a := range starts {
				if isProtected(resolve(dir, a.text)) {
					s.deny(DeleteTree, "find "+joined(starts)+" "+joined(expr))
				}
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(expr) && expr[end].text != ";" && expr[end].text != "+" {
				end++
			}
			if end > i+1 {
				s.command(expr[i+1:end], input{}, dir, depth)
			}
			i = end
		}
	}
}

// resolve makes a path as absolute as is known. "." is the directory in which the command line
// starts.
func resolve(dir, p string) string {
	if strings.HasPrefix(p, "/") {
		return path.Clean(p)
	}
	if strings.HasPrefix(dir, unknown) || strings.HasPrefix(p, unknown) {
		return unknown
	}
	return path.Join(dir, p)
}

// isProtected reports whether a cleaned path is the root, a system or home directory, a parent of
// the directory in which the command line starts, or everything in one of them.
func isProtected(p string) bool {
	dir, base := path.Split(p)
	if parent := path.Clean(dir); dir != "" && strings.ContainsAny(base, "*?[") {
		if parent == "/" || strings.Trim(base, "*?.[]!^") == "" {
			return isProtected(parent)
		}
		return false
	}
	if !strings.HasPrefix(p, "/") {
		return p != "" && strings.Trim(p, "./") == "" && strings.HasPrefix(p, "..")
	}
	parts := strings.Split(strings.Trim(p, "/"), "/")
	switch {
	case parts[0] == "":
		return true
	case len(parts) == 1:
		return isSystem(parts[0])
	case len(parts) == 2:
		return isSystemChild(parts[0], parts[1])
	}
	return false
}

// isSystem knows the directories below / that hold the system or people's files, on Linux and
// macOS.
func isSystem(name string) bool {
	switch name {
	case "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc",
		"root", "run", "sbin", "srv", "sys", "usr", "var",
		"Applications", "Library", "System", "Users", "Volumes", "private", "cores":
		return true
	}
	return false
}

// isSystemChild knows those one level further down.
func isSystemChild(parent, name string) bool {
	switch parent {
	case "home", "Users", "usr", "System":
		return true
	case "var", "private":
		return name != "tmp"
	}
	return false
}

// isDevice reports whether a path is a device other than those that lose or print what is written.
func isDevice(p string) bool {
	name, ok := strings.CutPrefix(path.Clean(p), "/dev/")
	if !ok {
		return false
	}
	switch name {
	case "null", "zero", "full", "tty", "stdin", "stdout", "stderr":
		return false
	}
	return !strings.HasPrefix(name, "fd/") && !strings.HasPrefix(name, "shm/")
}

// isDisk reports whether a path is a disk, a partition of one or the memory of the machine.
func isDisk(p string) bool {
	name, ok := strings.CutPrefix(path.Clean(p), "/dev/")
	if !ok {
		return false
	}
	for _, kind := range []string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "md", "loop", "mapper/", "mem", "kmem", "port"} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	return false
}
