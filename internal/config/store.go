package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"paicli/internal/i18n"
)

// Edit sets one value of a person's file: path has the names of the keys, json is the value as JSON.
// The file and its folder are made if need be (0600 and 0700). Everything else in the file stays as
// it is, comments and order too; a file that cannot be read as settings is not touched and the error
// is an *Error that names the line. It may be called by several processes at a time.
func Edit(file string, path []string, json string) error {
	return rewrite(file, func(d *document) (string, *Problem) { return d.set(path, json) })
}

// SetTrust remembers that the person trusts what a project brings along, as long as it has this
// hash. "" takes the trust back, if there is any.
func SetTrust(file, root, hash string) error {
	path := []string{"projects", root, "trust"}
	return rewrite(file, func(d *document) (string, *Problem) {
		old, ok := d.root.at(path)
		switch {
		case hash != "":
			return d.set(path, quote(hash))
		case !ok || old.kind == kindNull:
			return d.src, nil
		}
		return d.set(path, "null")
	})
}

// AddRule adds a rule to a list (allow, ask or deny) of the person's entry for a project, unless it is
// there.
func AddRule(file, root, list, rule string) error {
	path := []string{"projects", root, "permissions", list}
	return rewrite(file, func(d *document) (string, *Problem) {
		rules, ok := d.root.at(path)
		switch {
		case !ok || rules.kind == kindNull:
			return d.set(path, "["+quote(rule)+"]")
		case rules.kind != kindList:
			return "", d.bad(path, rules, i18n.WantRules)
		case slices.ContainsFunc(rules.items, func(n node) bool { return n.kind == kindText && n.text == rule }):
			return d.src, nil
		}
		return d.push(rules, quote(rule)), nil
	})
}

// rewrite changes a file, one process at a time.
func rewrite(file string, change func(*document) (string, *Problem)) error {
	if file == "" {
		return fmt.Errorf("write settings: %w", ErrNoHome)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	place, err := follow(file)
	if err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	unlock, err := lock(place + ".lock")
	if err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	defer unlock()
	src, err := readFile(place)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write settings: %w", err)
	}
	if len(src) >= maxFile {
		return fmt.Errorf("write settings: %w", errTooLarge)
	}
	d, problem := parseDocument(file, src)
	out := src
	if problem == nil {
		out, problem = change(d)
	}
	if problem != nil {
		return &Error{Problems: []Problem{*problem}}
	}
	if out == src {
		return nil
	}
	if err := replaceFile(place, out); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

// ErrNoHome says that there is no folder for the person's settings.
var ErrNoHome = errors.New("no_home")

var errTooLarge = errors.New("too_large")

// follow finds the file behind links, which stay.
func follow(file string) (string, error) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	return filepath.EvalSymlinks(file)
}

// replaceFile gives a file new content: the old one or the new one is there, whatever happens.
func replaceFile(file, content string) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".config-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if d, err := os.Open(filepath.Dir(file)); err == nil {
		_ = d.Sync() // where a folder cannot be synced, there is nothing to lose
		d.Close()
	}
	return nil
}

// lock waits for the lock of a file, at most for five seconds. The lock ends with the process.
func lock(name string) (unlock func(), err error) {
	const tries = 500 // of ten milliseconds
	for n := 0; ; n++ {
		unlock, err = tryLock(name)
		if err == nil || n == tries || !busy(err) {
			return unlock, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}
