package spell

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"mode", "model", "permissions", "语言"}
	for _, c := range []struct {
		name string
		most int
		want string
	}{
		{"modle", 2, "model"}, {"mod", 2, "mode"}, {"MODEL", 0, "model"}, {"permisions", 2, "permissions"},
		{"xyz", 1, ""}, {"语", 1, "语言"}, {"", 1, ""}, {"modes", 1, "model"}, {"mode", 0, "mode"},
	} {
		if got := Nearest(c.name, known, c.most); got != c.want {
			t.Errorf("%q within %d: %q, want %q", c.name, c.most, got, c.want)
		}
	}
}
