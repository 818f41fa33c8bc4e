package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseDotenv(t *testing.T) {
	tests := []struct {
		name, src string
		want      map[string]string
		bad       []int
	}{
		{"plain", "A=1\nB_2=two words\n", map[string]string{"A": "1", "B_2": "two words"}, nil},
		{"no newline at the end", "A=1", map[string]string{"A": "1"}, nil},
		{"export", "export A=1\nexport\tB=2\nexportC=3\n", map[string]string{"A": "1", "B": "2", "exportC": "3"}, nil},
		{"a variable named export", "export=1\n", map[string]string{"export": "1"}, nil},
		{"spaces", "  A = 1  \n", map[string]string{"A": "1"}, nil},
		{"empty", "A=\nB=''\nC=\"\"\n", map[string]string{"A": "", "B": "", "C": ""}, nil},
		{"comments", "# x\n\n  # y=1\nA=1 # one\nB=a#b\nC=#\nD='x # y' # z\n", map[string]string{"A": "1", "B": "a#b", "C": "", "D": "x # y"}, nil},
		{"quotes", `A="x \"y\" \\ \$Z \q"` + "\nB='a\\n\"b\"'\nC=\"1\\n2\\t3\"\n", map[string]string{"A": `x "y" \ $Z \q`, "B": `a\n"b"`, "C": "1\n2\t3"}, nil},
		{"several lines", "A=\"1\n2\"\nB=3\n", map[string]string{"A": "1\n2", "B": "3"}, nil},
		{"CRLF and BOM", "\ufeffA=1\r\nB='2'\r\n", map[string]string{"A": "1", "B": "2"}, nil},
		{"equals in the value", "A=b=c==\n", map[string]string{"A": "b=c=="}, nil},
		{"no expansion", "A=$HOME ${B}\n", map[string]string{"A": "$HOME ${B}"}, nil},
		{"the last one counts", "A=1\nA=2\n", map[string]string{"A": "2"}, nil},
		{"not closed", "A=\"1\nB=2\n", map[string]string{"B": "2"}, []int{1}},
		{"text after quotes", "A='1' x\nB=2\n", map[string]string{"B": "2"}, []int{1}},
		{"no assignment", "hello\nA=1\n1A=2\nA B=3\n=4\n", map[string]string{"A": "1"}, []int{1, 3, 4, 5}},
		{"NUL", "A=1\x00\nB=2\n", map[string]string{"B": "2"}, []int{1}},
		{"Chinese", "A=中文 # 说明\n", map[string]string{"A": "中文"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			vars, bad := parseDotenv(tt.src)
			got := map[string]string{}
			for _, v := range vars {
				got[v.name] = v.value
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.bad, bad); d != "" {
				t.Errorf("bad lines: %s", d)
			}
		})
	}
}

func TestDotenvLines(t *testing.T) {
	vars, _ := parseDotenv("# x\nA=\"1\n2\n3\"\n\nB=1\n")
	if len(vars) != 2 || vars[0].line != 2 || vars[1].line != 6 {
		t.Errorf("%+v", vars)
	}
}

// FuzzDotenv: nothing panics or loops, lines are inside the file, names are names.
func FuzzDotenv(f *testing.F) {
	for _, s := range []string{"A=1\n", "export A='x\ny'\n", "\ufeff#\r\nB=\"\\", "=\n\x00", "A=\"\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		vars, bad := parseDotenv(src)
		lines := strings.Count(src, "\n") + strings.Count(src, "\r") + 1
		for _, v := range vars {
			if v.line < 1 || v.line > lines || variableName(v.name) != v.name || v.name == "" || strings.Contains(v.value, "\x00") {
				t.Errorf("%+v of %q", v, src)
			}
		}
		for _, line := range bad {
			if line < 1 || line > lines {
				t.Errorf("bad line %d of %q", line, src)
			}
		}
	})
}
