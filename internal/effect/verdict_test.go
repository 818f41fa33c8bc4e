package effect

import (
	"path"
	"strings"
	"testing"
)

// Nothing in this file is ever executed: Analyse reads text.

func TestAllowed(t *testing.T) {
	for _, command := range []string{
		"", "  ", "# only a comment", "ls", "ls -la src", "ls src *.go", "cat a b", "/bin/cat a", "cat -- -n", "head -5 a", "head -n5 a", "head -c 10 a",
		"tail -n +5 a", "tail -100 a", "wc -l *.go", "sort -k2,2 -t: -rn a", "sort -u a | uniq -c", "cut -d: -f1 a",
		"grep -rn --include='*.go' X src", "grep -e X -e Y a", "rg X", "rg -n -C3 'a|b' src", "fd -e go", "find . -name '*.go' -type f",
		`find . \( -name a -o -name b \) -print`, "find . -name *.go", "find src -exec grep -l X {} +", "find . -print0 | xargs -0 grep -l X",
		"tree -L 2", "du -sh .", "stat a", "file a", "diff -u a b", "diff <(sort a) <(sort b)", "cmp a b", "xxd a | head", "md5sum a",
		"sed -n '1,5p' a", "sed -n 5p a", "sed -n '/x/,/y/p' a", "sed 's/a/b/g' a", "sed -e 's/a/b/' -e 5q a", "sed '$d' a", "sed ':a;N;$!ba;s/\\n/ /g' a", "sed -n '$=' a", "sed -n '/x/{p;q}' a", "sed -n '10,$ p' a",
		"sed -E 's|[^/]*$||' a", "awk '{print $1}' a", "awk -F: '$3 > 100 {print $1}' a", "awk 'NR>=1 && NR<=5' a", "awk '/a|b/' a",
		"awk '{s+=$1} END {print s}' a", "jq . a.json", "jq -r '.a | keys[]' a.json", "jq --arg x y '.[$x]' a.json",
		"git status", "git log --oneline -5", "git log -n5 --format='%h %s'", "git diff HEAD~1 -- src", "git show HEAD:src/a.go", "git branch", "git branch -a", "git branch --list 'x*'",
		"git tag", "git tag -l 'v*'", "git stash list", "git remote -v", "git remote get-url origin", "git config --get user.name", "git config user.email",
		"git rev-parse --abbrev-ref HEAD", "git ls-files | wc -l", "git blame -L 1,5 a", "git grep -n X -- src", "git --no-pager log -3", "git clean -n", "git log ..origin/main", "git log -S'x y' --oneline",
		"git reflog", "git describe --tags", "git diff --cached --stat", "git check-ignore -v x",
		"echo hi", `echo "---"`, "echo -e 'a\\tb'", "printf '%s\\n' a", "true", ":", "pwd", "sleep 1", "seq 1 5", "exit 1", "set -euo pipefail; ls",
		"date", "date +%s", "date -u '+%Y'", "which go", "type ls", "command -v rg", "uname -a", "whoami", "id -u", "nproc", "hostname",
		"go version", "go env GOPATH", "node --version", "ls --version", "gofmt -l .",
		"test -f a && cat a", "[ -d src ] || echo no", "if [ -f a ]; then cat a; fi", "for f in a b; do cat $f; done", `for f in *.go; do head -3 "$f"; done`,
		"for i in 1 2 3; do echo $i; done", `echo "$(wc -l < a) lines"`, "cat a; echo $?", "(cd src && ls)", "cd src && cat a.go", "cd . && git status",
		"ls 2>&1 | head", "ls >/dev/null 2>&1", "cat < a", "cat <<'EOF'\n$(x)\nEOF", "cat <<EOF\nplain\nEOF", "tr a b <<< abc",
		"timeout 5 ls", "nice -n 5 ls", "time ls", "bash -c 'ls -l'", "bash -lc \"cat a\"", "sh -c 'ls | head'", "LC_ALL=C sort a", "GIT_PAGER=cat git log -3",
		"! grep -q X a", "{ ls; pwd; }", "basename a/b .c", "tar tzf a.tgz", "tar -tf a.tar", "unzip -l a.zip", "gzip -dc a.gz | head", "zcat a.gz",
		"ls 'a b' \"c d\"", "ls a\\ b", "cat .env.example", "test -e .env", "ls -la .env", "du -sh *", `for f in *.go; do wc -l < "$f"; done`, "ls .git", "cat .git/HEAD", "/usr/bin/head -1 a", "cat $PWD/a",
	} {
		if got := Analyse(command, suitePlace()); got.Verdict != Allow || got.Opaque {
			t.Errorf("%q is %v: %s", command, got.Verdict, got.Why)
		}
	}
}

// Each of these writes, runs, connects, reads secrets or reads outside the project, or may do so.
func TestNotAllowed(t *testing.T) {
	for _, command := range []string{
		// Writing by readers.
		"sort -o a a", "sort -oa a", "sort --output=a a", "sort --outp=a a", "sort -uoa a", "uniq a b", "tree -o a", "tree -R -L 1", "xxd a b", "xxd -r a", "sed -i s/a/b/ a", "sed -ni p a", "sed --in-place s/a/b/ a",
		"sed -n 'w b' a", "sed 's/a/b/w b' a", "sed 's/a/b/e' a", "sed 1e a", "sed 'ba;w b' a", "sed ':a w b' a", "sed ':a\nw b' a", "sed '1r /etc/passwd' a", "sed -e p -e 'w b' a", "sed --expression='w b' --expression=p a", "sed -e p -ew\\ b a", "sed -f a b", "sed 's/[/]/w b/' a",
		"awk '{print > \"b\"}' a", "awk '{print $1 > $2}' a", "awk '{print | \"sh\"}' a", "awk 'BEGIN{system(\"id\")}'", "awk '\"id\" | getline'", "awk 'BEGIN{print ENVIRON[\"X\"]}'", "awk -f a b", "awk '{print \"a\",\n\"b\" > \"c\"}' a",
		"awk -i inplace '{print}' a", "awk '@load \"x\"'", "awk '{ if (x) /\"/ ; print > \"f\" } # \"' a", "awk 'BEGIN { while (getline < \"/etc/passwd\") print }'",
		"jq env a", "jq '$ENV.X' a", "jq -f a b", "jq 'import \"a\" as $a; .' b", "jq -L . . a", "find . -delete", "find . -fprint a", "find . -exec rm {} +", "find . -ok ls {} +", "find -L . -exec cat {} +", "find . -execdir ls {} +",
		"find . -name *", "find . -files0-from a", "date -s 10:00", "date 10101010", "hostname x", "hostname -F a", "file -C -m a", "tee a", "ls | tee a", "dd if=a of=b", "gofmt -w a", "gofmt -r 'a -> b' a",
		"git diff --output=a", "git log --output a", "git diff --ext-diff", "git diff --ext", "git show --textconv", "git grep -Oless x", "git grep --open-files-in-pager=x y", "git -c a=b log", "git -C x log", "git --git-dir=x log", "cd x && git log",
		"git branch x", "git branch -d x", "git branch --set-upstream-to=x", "git branch -m a b", "git tag x", "git tag -d x", "git remote add a b", "git remote show origin", "git config a b", "git config --global a b", "git config -e", "git config --unset a", "git stash", "git stash drop",
		"git reflog expire --all", "git symbolic-ref HEAD x", "git worktree add x", "git worktree prune", "git fetch", "git ls-remote", "git st", "git help log", "git log --show-signature", "git log --format=%GG", "git diff --no-index a b", "git diff /etc/passwd a", "git bisect run x", "git submodule status", "git notes add",
		"git clean -f", "git clean -x", "git -p log", "git --exec-path=x log", "git show HEAD:.env", "git diff HEAD -- .env", "git log -p .env", "git log -L1,5:.env", "git blame .env",
		"gzip a", "gunzip a.gz", "tar xf a.tar", "tar cf a.tar b", "tar tf a --checkpoint=1 --checkpoint-action=exec=id", "tar tf host:a", "tar -I x -tf a", "tar tfv /etc/a.tar", "unzip a.zip",
		"printf -v x y", "printf '%n' x", "printf -- '%d%n' 1 x", `printf "$x"`, "test -v x", "[ -v 'a[$(id)]' ]", "[[ -f a ]]", "((x=1))", "let x=1", "set -x", "set", "set -- a", "set -o vi",
		// Running.
		"rg --pre x y", "rg -z y", "rg --hostname-bin x y", "fd -x rm", "fd -X rm", "fd --exec rm", "sort --compress-program=x a", "sort -T . a", "xargs ls", "ls | xargs cat", "ls | xargs -0 cat", "find . -print0 | xargs -0 sh", "find . -print0 | xargs -0 -I{} sh -c {}", "git ls-files -z | xargs -0 sort",
		"./ls", "bin/ls", "LS", "/tmp/ls", "env ls", "env", "printenv X", "nohup ls", "setsid ls", "exec ls", "ls &", "coproc ls", "f() { ls; }; f", "ls() { id; }; ls", "alias ls=x; ls", "hash -p x ls", "enable -f x y", "eval ls", "eval \"$x\"", "trap ls EXIT", "trap '' INT", ". a", "source a", "bash a", "bash -i -c ls", "bash --rcfile a -c ls",
		"bash -c \"$x\"", "zsh -c 'ls'", "fish -c ls", "bash", "ls | sh", "python3 -c x", "node -e x", "make -n", "go test", "go vet", "go list ./...", "go env -w A=b", "npm ls", "npx x", "yarn --version", "./x --version", "mvn -v",
		"A=b ls", "PATH=. ls", "LC_ALL=/tmp/x sort a", "PAGER=less git log", "export A=b", "A=b", "A=b; ls", "read x; ls", "unset x", "\\time -o a ls", "timeout $x ls", "timeout 5 $x", "$x", "$x ls", "ls $x", "cat \"$x\"", "`which ls`", "$(echo ls)", "l$x",
		"for PATH in x; do ls; done", "for f in $(ls); do cat $f; done", "for f; do ls; done", "for ((;;)); do ls; done", "select f in a; do ls; done", "for f in *; do sort $f; done", "for f in *; do sort \"$f\"; done", "while read f; do cat $f; done < a",
		"case ${x:=y} in *) ls;; esac", "case ${x@P} in *) ls;; esac", "echo ${x@P}", "echo $((a[0]))", "echo $((1+1))", "echo ${!x}", "echo $SECRET", "echo \"$SECRET\"", "cat <<EOF\n$SECRET\nEOF", "cat <<< $SECRET", "sort *", "rg *", "git diff *", "ls $(id)", "git log --format=$(id)",
		// Connecting.
		"curl localhost", "wget x", "ssh x ls", "cat < /dev/tcp/a/80", "exec 3<>/dev/tcp/a/80", "echo x > /dev/udp/a/1", "git push", "gh pr list", "nc x 1", "ping x",
		// Secrets and places outside.
		"cat .env", "cat .env.local", "cat config/.env", "cat .e*", "cat .en?", "cat *.pem", "cat *.pe?", "cat a.key", "cat id_rsa", "cat ~/.ssh/id_rsa", "ls ~/.ssh", "cat ~/.aws/credentials", "cat ~/.netrc", "cat ~/.config/gh/hosts.yml", "cat ~/.kube/config", "cat /proc/self/environ", "cat /proc/1/environ", "cat /proc/*/environ", "strings /proc/self/environ",
		"cat < .env", "grep -f .env a", "grep X .env", "rg X .env", "sort .env", "head -c5 .ENV", "cat ~/.npmrc", "cat ~/.bashrc", "cat ~/x", "cat /etc/passwd", "ls /", "ls ..", "cat ../a", "cat a/../../b", "cat a/../b", "cd .. && ls", "cd /etc && cat passwd", "cd src && cat ../a", "cd src && cat ../../a",
		"cd ~ && ls", "cd && ls", "cd - && ls", "cd $x && ls", "cd nope; cat ../x", "if true; then cd src; fi; cat a", "cat ~+/a", "cat ~-/a", "cat ~root/a", "cat {a,../b}", "cat {.env,a}", "cat \"../a\"", "cat $'..\\x2fa'", "cat $HOME/a", "ls -la ${HOME}", "du -sh /", "rg X /etc", "find .. -name x", "find ~ -name x", "wc -l /etc/hosts", "stat /etc/hosts",
		"realpath ../x", "diff a /etc/passwd", "test -f /etc/passwd", "jq . /etc/x.json", "sed -n 1p /etc/passwd", "awk 1 /etc/passwd", "tar tf /etc/a.tar", "gofmt -l /usr", "date -r /etc/passwd", "ps aux", "ps eww", "less a", "man ./a",
		// Text that shells and parsers read differently.
		"ls \\\n-l", "ls # \\\nid", "echo \"$\\\n(id)\"", "ls\rid", "ls \x0b", "ls \x00", "echo 'open", "ls <(", "echo {1..100000000}", strings.Repeat("(", 600) + "ls" + strings.Repeat(")", 600), strings.Repeat("ls;", 100_000),
		"\u0435cho hi", "ls\u00a0-l", "> a", ">> a", "ls > a", "ls >| a", "ls &> a", "ls >& a", "ls <> a", "ls 2> a", "ls {x}>/dev/null", ": > a", "cat a > /dev/tty9", "popd",
	} {
		if got := Analyse(command, suitePlace()); got.Verdict == Allow {
			t.Errorf("%q is allowed", shorten(command))
		} else if got.Why == "" {
			t.Errorf("%q is %v without a reason", shorten(command), got.Verdict)
		}
	}
}

// Real links decide, where somebody can look at them.
func TestWhere(t *testing.T) {
	at := suitePlace()
	at.Where = func(abs string) Where {
		switch {
		case path.Clean(abs) != abs || !path.IsAbs(abs):
			t.Errorf("asked for %q", abs)
		case strings.HasPrefix(abs, "/home/dev/project/out"):
			return Outside
		case strings.HasPrefix(abs, "/home/dev/project/keys"):
			return Secret
		case strings.HasPrefix(abs, "/home/dev/project/conf"):
			return Protected
		}
		return Inside
	}
	for command, want := range map[string]Verdict{
		"cat a": Allow, "cat out/a": Review, "cat keys/a": Ask, "cd keys && ls": Ask, "cat /etc/passwd": Review, "cat .env": Ask, "cat conf": Review,
		"echo x > a": Review, "echo x > out": Review, "echo x > conf": Ask, "echo x > keys/a": Ask, "rm conf/x": Ask, "cp a conf/": Ask,
		"cat out/*.go": Review, "find keys -name x": Ask, "ls out": Review,
	} {
		if got := Analyse(command, at); got.Verdict != want {
			t.Errorf("%q is %v (%s), want %v", command, got.Verdict, got.Why, want)
		}
	}
}

func TestAsk(t *testing.T) {
	for _, command := range []string{
		"cat .env", "head -5 .env.production", "cat ~/.ssh/id_rsa", "cat /proc/self/environ", "echo x > ~/.bashrc", "echo x >> .git/hooks/pre-commit", "cd .git/hooks && printf x > pre-commit",
		"cp a .vscode/tasks.json", "tee .mcp.json < a", "rm -rf .", "rm -rf *", "rm -rf .git", "rm -rf /home/dev/project", `rm -rf "$X"/*`, "git reset --hard", "git checkout -- .", "git checkout .", "git restore .", "git clean -fdx", "git config core.pager x", "ln -s a ~/.zshrc", "mv a .envrc", "sed -i s/a/b/ .git/config", "a\x00b",
	} {
		if got := Analyse(command, suitePlace()); got.Verdict != Ask {
			t.Errorf("%q is %v: %s", command, got.Verdict, got.Why)
		}
	}
}
