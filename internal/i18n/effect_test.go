package i18n

import (
	"strings"
	"testing"
)

func TestEffect(t *testing.T) {
	tests := []struct {
		name    string
		touches []Touch
		en, zh  string
	}{
		{"nothing declared", nil, "does something unknown", "有无法判断的操作"},
		{"only talk", []Touch{{"talk", ""}}, "touches nothing", "不触及任何东西"},
		{
			"the dangerous first",
			[]Touch{{"read", "src/"}, {"write", "out.txt"}, {"run", "go test"}, {"net", "example.com"}, {"opaque", ""}, {"privilege", "sudo"}, {"delete", "build"}},
			"deletes build, needs administrator rights, does something unknown, reaches example.com, runs project code (go test), writes out.txt, reads src/",
			"删除 build，需要管理员权限，有无法判断的操作，访问网络 example.com，运行项目代码（go test），写入 out.txt，读取 src/",
		},
		{
			"a long list, each once",
			[]Touch{{"delete", "a"}, {"delete", "b"}, {"delete", "a"}, {"delete", "c"}, {"delete", "d"}, {"delete", "e"}},
			"deletes a, b, c and 2 more", "删除 a、b、c 等另外 2 项",
		},
		{"a target that is not known", []Touch{{"delete", ""}, {"net", ""}}, "deletes what is not known, reaches the network", "删除 无法判断的对象，访问网络"},
		{"what a command does not name", []Touch{{"net", "remote"}, {"net", "registry"}, {"read", "remote"}}, "reaches a git remote, a package registry, reads remote", "访问网络 git 远程仓库、软件包仓库，读取 remote"},
		{"who is unknown", []Touch{{"opaque", "eval"}, {"opaque", ""}}, "does something unknown (eval)", "有无法判断的操作（eval）"},
		{
			"the end of a long target is seen",
			[]Touch{{"write", strings.Repeat("x", 100) + "/end.txt"}},
			"writes " + strings.Repeat("x", 28) + "..." + strings.Repeat("x", 20) + "/end.txt",
			"写入 " + strings.Repeat("x", 28) + "..." + strings.Repeat("x", 20) + "/end.txt",
		},
	}
	for _, tt := range tests {
		if got := EN.Effect(tt.touches); got != tt.en {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.en)
		}
		if got := ZH.Effect(tt.touches); got != tt.zh {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.zh)
		}
	}
}
