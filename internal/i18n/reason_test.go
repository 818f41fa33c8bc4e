package i18n

import (
	"strings"
	"testing"
)

// Every reason is worded in both languages, its object last.
func TestReasons(t *testing.T) {
	for _, tt := range []struct{ text, zh string }{
		{"runs go test", "运行 go test"},
		{"runs in the background", "在后台运行"},
		{"runs code in the command line: python3", "运行命令行中的代码：python3"},
		{"writes outside the project: /tmp/x", "写入项目之外的内容：/tmp/x"},
		{"writes a.txt", "写入 a.txt"},
		{"of no kind", "of no kind"},
	} {
		if got := ZH.reason(tt.text); got != tt.zh {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.zh)
		}
		if got := EN.reason(tt.text); got != tt.text {
			t.Errorf("%s: %s", tt.text, got)
		}
	}
	for _, r := range reasons {
		if i := strings.Index(r.EN, "%s"); i >= 0 && (i != len(r.EN)-2 || !strings.HasSuffix(r.ZH, "%s")) {
			t.Errorf("%s: its object is not last", r.EN)
		}
	}
}
