package effect

import (
	"path"
	"slices"
	"strings"
)

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
	switch name {
	case "curl", "wget", "http", "https", "xh", "lynx", "w3m", "fetch", "nc", "ncat", "netcat", "socat":
		return true
	}
	return false
}

// forbidden judges a command by its name and arguments.
func (w *walker) forbidden(name string, args []arg) Code {
	switch {
	case isPrivilege(name):
		return Privilege
	case name == "mkfs", strings.HasPrefix(name, "mkfs."), name == "mke2fs", name == "newfs":
		return FormatDisk
	}
	switch name {
	case "rm":
		return w.tree(DeleteTree, args, "rR", "--recursive", 0)
	case "chmod", "chown", "chgrp":
		return w.tree(OpenTree, args, "R", "--recursive", 1)
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
	case "systemctl", "loginctl", "init", "telinit":
		return power(name, args)
	case "setfacl", "chattr":
		return w.tree(OpenTree, args, "R", "--recursive", 0)
	case "mkswap", "wipefs", "blkdiscard", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "shred":
		return partition(name, args)
	case "find":
		return w.search(args)
	}
	return ""
}

// partition judges the programs that change what is on a disk unless they are asked to list.
func partition(name string, args []arg) Code {
	asks, wipes := false, name != "wipefs"
	for _, a := range args {
		switch a.text {
		case "-l", "-p", "--list", "--print", "print", "-n", "--no-act", "-d", "--dump":
			asks = true
		case "-a", "-af", "-fa", "--all", "-o", "--offset":
			wipes = true
		}
	}
	if wipes && !asks && slices.ContainsFunc(args, func(a arg) bool { return isDisk(a.text) }) {
		return WriteDevice
	}
	return ""
}

// power judges the programs that switch a machine off among other things.
func power(name string, args []arg) Code {
	words := subcommand(args)
	if len(words) == 0 {
		return ""
	}
	switch verb := words[0]; verb {
	case "poweroff", "reboot", "halt", "kexec", "soft-reboot":
		return PowerOff
	case "0", "6":
		if name == "init" || name == "telinit" {
			return PowerOff
		}
	case "start", "isolate":
		for _, unit := range words[1:] {
			if slices.Contains([]string{"poweroff.target", "reboot.target", "halt.target", "kexec.target", "shutdown.target"}, unit) {
				return PowerOff
			}
		}
	}
	return ""
}

// tree judges a command that goes down directory trees when it has a flag: rm, chmod, chown. skip
// is the number of operands before the paths. Options may follow paths and be abbreviated, as GNU
// programs allow.
func (w *walker) tree(code Code, args []arg, short, long string, skip int) Code {
	recursive, only := false, false
	var operands []string
	for _, a := range args {
		t := a.text
		switch {
		case only || !strings.HasPrefix(t, "-") || t == "-":
			operands = append(operands, t)
		case t == "--":
			only = true
		case skip > 0 && strings.Trim(t, "-rwxXst") == "" && !strings.HasPrefix(t, "--"): // a mode: -x
			operands = append(operands, t)
		case skip > 0 && strings.HasPrefix(t, "--ref"):
			skip = 0
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
		if w.isProtected(resolve(w.dir, p)) {
			return code
		}
	}
	return ""
}

// search judges where a find starts: over the whole disk, or deleting in a directory of the system.
func (w *walker) search(args []arg) Code {
	starts, expr := findStarts(args)
	if len(starts) == 0 {
		starts = []arg{{text: "."}}
	}
	remove := slices.ContainsFunc(expr, func(a arg) bool { return a.text == "-delete" })
	for _, a := range starts {
		p := resolve(w.dir, a.text)
		switch {
		case p == "/" || p == "/*" || p == w.home && p != w.root && (w.dir != w.root || strings.HasPrefix(a.text, "/")):
			return SearchDisk
		case remove && w.isProtected(p):
			return DeleteTree
		}
	}
	return ""
}

// findStarts splits the arguments of find into directories and expression.
func findStarts(args []arg) (starts, expr []arg) {
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case t == "-D":
			i++
		case t == "-H" || t == "-L" || t == "-P" || strings.HasPrefix(t, "-O"):
		case strings.HasPrefix(t, "-") || t == "(" || t == "!" || t == ",":
			return starts, args[i:]
		default:
			starts = append(starts, args[i])
		}
	}
	return starts, nil
}

// isProtected reports whether a cleaned path is the root, a system or home directory, a parent of
// the project, or everything in one of them.
func (s *scan) isProtected(p string) bool {
	dir, base := path.Split(p)
	if parent := path.Clean(dir); dir != "" && strings.ContainsAny(base, "*?[") {
		if parent == "/" || strings.Trim(base, "*?.[]!^") == "" {
			return s.isProtected(parent)
		}
		return false
	}
	if p == "" {
		return false
	}
	if p == s.home || p != s.root && within(s.root, p) {
		return true
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
