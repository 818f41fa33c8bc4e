package tool

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"paicli/internal/shell"
)

// form is a program that asks when it is called in some way, and the way in which it does not.
type form struct {
	words string // the program and its first words
	with  string // options of which one makes it ask; empty = it asks unless
	less  string // options of which one keeps it from asking, or
	bare  bool   // it asks only without any operand
	use   string
}

// forms are read from the top; the first that fits counts.
func forms() []form {
	return []form{
		{words: "git commit", less: "-m --message -F --file -C --reuse-message --no-edit --fixup -am", use: "git commit -m MESSAGE"},
		{words: "git rebase", with: "-i --interactive -e --edit-todo", use: "git rebase without -i, or GIT_SEQUENCE_EDITOR='sed -i …' git rebase -i"},
		{words: "git rebase --continue", use: "GIT_EDITOR=true git rebase --continue"},
		{words: "git merge", less: "-m --no-edit --abort", use: "git merge --no-edit"},
		{words: "git add", with: "-p --patch -i --interactive -e --edit", use: "git add PATH, or git apply --cached PATCH"},
		{words: "git clean", with: "-i --interactive", use: "git clean -n to look, then git clean -f PATH"},
		{words: "git tag", with: "-a -s --annotate", less: "-m --message -F", use: "git tag -a NAME -m MESSAGE"},
		{words: "git", use: "a form of git that needs no editor and no password: -m, --no-edit, a credential helper or an SSH key that the user has set up"},
		{words: "apt install", less: "-y --yes -s", use: "apt-get install -y"},
		{words: "apt", less: "-y --yes", use: "apt-get -y"},
		{words: "apt-get", less: "-y --yes", use: "apt-get -y"},
		{words: "npm init", less: "-y --yes", use: "npm init -y"},
		{words: "npm create", less: "-y --yes", use: "npm create NAME -- with all its options, or npx --yes"},
		{words: "npm login", use: "a token that the user has set up"},
		{words: "npx", less: "-y --yes", use: "npx --yes"},
		{words: "yarn init", less: "-y --yes", use: "yarn init -y"},
		{words: "pip uninstall", less: "-y --yes", use: "pip uninstall -y"},
		{words: "docker login", use: "docker login --password-stdin"},
		{words: "docker", with: "-it -ti -t --tty", use: "docker without -i and -t"},
		{words: "ssh-keygen", use: "ssh-keygen -N '' -f FILE"},
		{words: "ssh", use: "ssh -o BatchMode=yes -o ConnectTimeout=5 HOST COMMAND"},
		{words: "scp", use: "scp -o BatchMode=yes"},
		{words: "sftp", use: "sftp -b FILE -o BatchMode=yes"},
		{words: "sudo", use: "a way without administrator rights, or ask the user to run it"},
		{words: "su", use: "a way without another user's rights, or ask the user to run it"},
		{words: "passwd", use: "asking the user to run it"},
		{words: "adduser", use: "adduser --disabled-password --gecos ''"},
		{words: "openssl", use: "openssl with -passin, -passout or -nodes and, for req, -subj and -batch"},
		{words: "gpg", use: "gpg --batch --yes --pinentry-mode loopback"},
		{words: "psql", less: "-c -f --command --file", use: "psql -w -c QUERY"},
		{words: "mysql", less: "-e --execute", use: "mysql -e QUERY"},
		{words: "sqlite3", use: "sqlite3 FILE QUERY"},
		{words: "bc", use: "echo EXPRESSION | bc"},
		{words: "dc", use: "dc -e EXPRESSION"},
		{words: "ed", use: "edit_file, or sed"},
		{words: "vi", use: "edit_file, or sed"}, {words: "vim", use: "edit_file, or sed"}, {words: "nano", use: "edit_file, or sed"},
		{words: "emacs", less: "--batch", use: "edit_file, or sed"},
		{words: "top", less: "-b -bn1", use: "top -b -n 1, or ps"}, {words: "htop", use: "ps"},
		{words: "less", use: "read_file, or cat"}, {words: "more", use: "read_file, or cat"}, {words: "man", use: "man PAGE | cat"},
		{words: "gdb", less: "--batch -batch", use: "gdb --batch -ex COMMAND"},
		{words: "crontab", with: "-e", use: "crontab FILE"},
		{words: "read", use: "giving the value in the command"},
		{words: "rm", with: "-i -I", use: "rm -f"}, {words: "cp", with: "-i", use: "cp -f"}, {words: "mv", with: "-i", use: "mv -f"},
		{words: "python", bare: true, use: "python3 -c CODE, or a file"}, {words: "python3", bare: true, use: "python3 -c CODE, or a file"},
		{words: "python3", use: "arguments or a file for what the program asks for, or echo ANSWER | COMMAND"},
		{words: "node", bare: true, use: "node -e CODE, or a file"}, {words: "ruby", bare: true, use: "ruby -e CODE, or a file"},
		{words: "php", bare: true, use: "php -r CODE, or a file"}, {words: "perl", bare: true, use: "perl -e CODE, or a file"},
		{words: "lua", bare: true, use: "lua -e CODE, or a file"}, {words: "irb", use: "ruby -e CODE"},
		{words: "bash", bare: true, use: "the commands themselves"}, {words: "sh", bare: true, use: "the commands themselves"},
		{words: "script", use: "the command without script"},
		{words: "cat", use: "cat FILE"},
	}
}

// advise finds the form of a command line that asks, and how not to; false when none is known. The
// last command of the line that asks counts. It is advice only: the line is cut at what looks like the
// end of a simple command.
func advise(command string) (found form, ok bool) {
	ends := func(r rune) bool { return strings.ContainsRune(";&|\n(){}`", r) }
	for simple := range strings.FieldsFuncSeq(command, ends) {
		words := program(strings.Fields(simple))
		for _, f := range forms() {
			if f.fits(words) {
				if !ok || f.words != "git" {
					found, ok = f, true
				}
				break
			}
		}
	}
	return found, ok
}

// program leaves out what stands in front of a program's name.
func program(words []string) []string {
	for len(words) > 0 {
		switch w := words[0]; {
		case strings.Contains(w, "=") && !strings.HasPrefix(w, "-"), w == "env", w == "exec", w == "command", w == "nohup", w == "time",
			w == "then", w == "do", w == "!", w == "if", w == "while":
			words = words[1:]
		case w == "timeout" && len(words) > 1:
			words = words[2:]
		default:
			return append([]string{path.Base(w)}, words[1:]...)
		}
	}
	return nil
}

func (f form) fits(words []string) bool {
	first := strings.Fields(f.words)
	if len(words) < len(first) || !slices.Equal(words[:len(first)], first) {
		return false
	}
	has := func(options string) bool {
		return slices.ContainsFunc(words[len(first):], func(w string) bool {
			name, _, _ := strings.Cut(w, "=")
			return slices.Contains(strings.Fields(options), name)
		})
	}
	operand := slices.ContainsFunc(words[len(first):], func(w string) bool {
		return !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "<>") || w == "-c" || w == "-e" || w == "-m" || w == "--version"
	})
	return (f.with == "" || has(f.with)) && !has(f.less) && !(f.bare && operand)
}

// asked reports whether a command that ended by itself seems to have wanted input: it failed with the
// words of one that found no terminal, its last line is a question, or it takes its commands from
// stdin and printed nothing.
func asked(command string, res shell.Result) bool {
	whole := res.Head + res.Tail
	f, known := advise(command)
	switch {
	case res.Exit == 0 && strings.TrimSpace(whole) == "":
		return known && (f.bare || f.words == "bc" || f.words == "dc" || f.words == "ed" || f.words == "sqlite3")
	case question(whole, res.Exit != 0):
		return true
	case f.with != "" && (strings.Contains(whole, "? ") || strings.Contains(whole, "> ")):
		return true
	case res.Exit == 0 || res.Exit == 127:
		return false
	}
	end := strings.ToLower(whole[max(0, len(whole)-2000):])
	return slices.ContainsFunc(signs(), func(s string) bool { return strings.Contains(end, s) })
}

// signs are what programs say, in lower case, when they wanted a person.
func signs() []string {
	return []string{
		"not a terminal", "not a tty", "no tty", "/dev/tty", "failed tty get", "must be run from a terminal", "must be a terminal", "terminal is required",
		"inappropriate ioctl", "eof when reading a line", "input is not from a terminal", "aborting commit due to empty commit message",
		"problem with the editor", "editor 'false'", "terminal prompts disabled", "could not read username", "could not read password",
		"askpass", "password is required", "authentication token manipulation error", "authentication failure", "permission denied (publickey",
		"host key verification failed", "[y/n] abort", "non-interactive", "noninteractive", "is not interactive",
		"error reading input", "cannot open terminal", "no password was provided", "no passphrase",
		"getting password", "get passphrase", "input device is not a tty",
	}
}

// question reports whether a text ends in the middle of a line as questions do. Of a command that
// failed a colon or a bracket is enough.
func question(text string, failed bool) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	line = strings.TrimRight(line, " \t")
	if line == "" {
		return false
	}
	low := strings.ToLower(line)
	if strings.HasSuffix(line, "?") || strings.HasSuffix(low, "[y/n]") || strings.HasSuffix(low, "(y/n)") || strings.HasSuffix(low, "(yes/no)") ||
		(strings.HasSuffix(line, ":") && (strings.Contains(low, "password") || strings.Contains(low, "passphrase"))) {
		return true
	}
	return failed && (strings.HasSuffix(line, ":") || strings.HasSuffix(line, ">") || strings.HasSuffix(line, ")") || strings.HasSuffix(line, "]"))
}

// inputNote tells the model why a command that wanted input got none, and how to do without.
func inputNote(command string) string {
	note := "commands have no input and no terminal here: nobody can answer a prompt."
	if f, ok := advise(command); ok {
		return fmt.Sprintf("%s Use %s.", note, f.use)
	}
	return note + " Give the answers as options or arguments, or pipe them in."
}
