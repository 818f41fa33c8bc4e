//go:build !linux

package fsx

import "slices"

// handle is nothing here: files are opened by way of the root.
type handle struct{}

func (h *handle) keep()    {}
func (h *handle) release() {}

// open reads the directory.
func (n *node) open(*Item) (entries, error) {
	list, err := n.tree.root.ReadDir(Path{Rel: n.rel})
	if err != nil {
		return nil, err
	}
	names := make(entries, len(list))
	for i, e := range list {
		names[i] = entry{e.Name(), e.Type()}
	}
	slices.SortFunc(names, comparePaths)
	return names, nil
}

// Read reads a regular file, of at most so many bytes; a larger one is ErrTooLarge. What it returns
// is valid until the worker's next call.
func (f *Item) Read(most int) ([]byte, error) { return f.readOpened(most) }
