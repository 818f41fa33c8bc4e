package tool

import (
	"slices"
	"testing"

	"paicli/internal/fsx"
)

// T-01: of the 17 built-in tools of the original, those that exist here. The row grows with them.
func TestParityTools(t *testing.T) {
	t.Run("T-01", func(t *testing.T) {
		root, err := fsx.Open(t.TempDir(), fsx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		var names []string
		for _, tool := range All(Options{Root: root}) {
			names = append(names, tool.Spec().Name)
		}
		for _, want := range []string{
			"create_project", "edit_file", "execute_command", "glob_files", "grep_code", "list_dir", "read_file", "write_file",
		} {
			if !slices.Contains(names, want) {
				t.Errorf("%s is missing in %v", want, names)
			}
		}
		if !slices.IsSorted(names) {
			t.Errorf("not sorted: %v", names)
		}
	})
}
