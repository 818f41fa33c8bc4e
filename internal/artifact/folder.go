package artifact

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"paicli/internal/fsx"
)

// write puts a text into a new file of the session and returns its path, relative to the project and
// with slashes. Directories and files are for their owner only.
func (s *Store) write(tool, text string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, name, err := s.begin(tool)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(s.opts.Secrets.Text(text))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write output: %w", errors.Join(err, s.remove(name)))
	}
	return name, nil
}

// begin makes the next file. The lock is held.
func (s *Store) begin(tool string) (*os.File, string, error) {
	root, err := s.open()
	if err != nil {
		return nil, "", fmt.Errorf("open outputs: %w", err)
	}
	defer root.Close()
	if !s.swept {
		s.swept = true
		s.sweep(root)
	}
	if err := makeDir(root, s.opts.Session); err != nil {
		return nil, "", fmt.Errorf("make folder of outputs: %w", err)
	}
	name, f, err := s.create(root, tool)
	if err != nil {
		return nil, "", fmt.Errorf("create output: %w", err)
	}
	return f, path.Join(fsx.OutputsDir, name), nil
}

// remove takes a file away that could not be written.
func (s *Store) remove(name string) error {
	root, err := s.open()
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Remove(strings.TrimPrefix(name, fsx.OutputsDir+"/"))
}

// open opens the folder of all outputs, made when it is missing. A link in its place, which the
// project may have brought along, is refused, and so is a place where the model could not read: in a
// project that is the person's home, the folder would lie among the program's own state.
func (s *Store) open() (*os.Root, error) {
	if _, err := s.opts.Root.Resolve(fsx.OutputsDir, fsx.Read); err != nil {
		return nil, err
	}
	project, err := os.OpenRoot(s.opts.Root.Dir())
	if err != nil {
		return nil, err
	}
	defer project.Close()
	parent, _ := path.Split(fsx.OutputsDir)
	for _, dir := range []string{path.Clean(parent), fsx.OutputsDir} {
		if err := makeDir(project, dir); err != nil {
			return nil, err
		}
	}
	root, err := project.OpenRoot(fsx.OutputsDir)
	if err != nil {
		return nil, err
	}
	if err := ignore(root); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// makeDir makes a directory that is none yet. What else is there in its place is an error.
func makeDir(root *os.Root, name string) error {
	err := root.Mkdir(name, 0o700)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := root.Lstat(name)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	return err
}

// ignore keeps the folder out of the project's history and searches.
func ignore(root *os.Root) error {
	f, err := root.OpenFile(".gitignore", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// create makes the next file. A resumed session goes on behind the files that it has.
func (s *Store) create(root *os.Root, tool string) (string, *os.File, error) {
	for {
		s.last++
		name := fmt.Sprintf("%s/%03d-%s.txt", s.opts.Session, s.last, fileName(tool))
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return name, f, err
		}
	}
}

// fileName keeps of a tool's name what every file system takes.
func fileName(tool string) string {
	const most = 64 // characters: enough to tell tools apart
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return -1
	}, tool)
	return name[:min(len(name), most)]
}
