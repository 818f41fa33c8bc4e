//go:build unix

package tool

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// expectation is what holds after the last call of a case. Empty fields are not judged.
type expectation struct {
	OK         *bool
	ErrorRegex string `json:"error_regex"`
	Output     string `json:"output_regex"`
	NotOutput  string `json:"output_not_regex"`
	MaxChars   int    `json:"max_output_chars"`
	Timeout    int    `json:"timeout_ms"`
	SameRuns   int    `json:"same_output_runs"`
	Files      []entry
	OnlyFiles  []string          `json:"only_files"`
	FilesRegex map[string]string `json:"files_regex"`
}

// judge returns the first thing that is not as expected.
func (r *caseRun) judge(e expectation) string {
	for _, check := range []func(expectation) string{r.judgeResult, r.judgeText, r.judgeFiles, r.judgeTree, r.judgeRuns} {
		if problem := check(e); problem != "" {
			return problem
		}
	}
	return ""
}

func (r *caseRun) judgeResult(e expectation) string {
	if e.OK != nil && r.ok != nil && *e.OK != *r.ok {
		return fmt.Sprintf("ok is %v, want %v: %.500s", *r.ok, *e.OK, r.text)
	}
	if limit := time.Duration(e.Timeout) * time.Millisecond * caseSlack(r.t); limit > 0 && r.took > limit {
		return fmt.Sprintf("took %v, at most %v is allowed", r.took, limit)
	}
	return ""
}

func (r *caseRun) judgeText(e expectation) string {
	for _, want := range []string{e.ErrorRegex, e.Output} {
		if want != "" && !regexp.MustCompile(want).MatchString(r.text) {
			return fmt.Sprintf("%q does not match %s", clipped(r.text), want)
		}
	}
	if e.NotOutput != "" && regexp.MustCompile(e.NotOutput).MatchString(r.text) {
		return fmt.Sprintf("%q matches %s", clipped(r.text), e.NotOutput)
	}
	if n := utf8.RuneCountInString(r.text); e.MaxChars > 0 && n > e.MaxChars {
		return fmt.Sprintf("%d characters, at most %d are allowed", n, e.MaxChars)
	}
	return ""
}

func clipped(s string) string { return s[:min(len(s), 500)] }

func (r *caseRun) judgeFiles(e expectation) string {
	for _, want := range e.Files {
		if problem := r.judgeEntry(want); problem != "" {
			return fmt.Sprintf("%s %s (%.300s)", want.Path, problem, r.text)
		}
	}
	for name, want := range e.FilesRegex {
		data, err := os.ReadFile(r.abs(name))
		if err != nil || !regexp.MustCompile(want).Match(data) {
			return fmt.Sprintf("%s holds %q, %v", name, data[:min(len(data), 300)], err)
		}
	}
	return ""
}

func (r *caseRun) judgeEntry(want entry) string {
	p := r.abs(want.Path)
	info, err := os.Lstat(p)
	switch {
	case want.Absent && err == nil:
		return "exists"
	case want.Absent:
		return ""
	case err != nil:
		return err.Error()
	case want.Dir && !info.IsDir():
		return "is no directory"
	}
	if want.SymlinkTo != "" {
		if to, err := os.Readlink(p); to != r.expand(want.SymlinkTo) {
			return fmt.Sprintf("leads to %q, %v", to, err)
		}
	}
	if data, ok := want.bytes(); ok {
		got, err := os.ReadFile(p)
		if !bytes.Equal(got, data) {
			return fmt.Sprintf("holds %q, want %q, %v", got[:min(len(got), 300)], data[:min(len(data), 300)], err)
		}
	}
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); want.Mode != "" && got != want.Mode {
		return "has mode " + got
	}
	return ""
}

// judgeTree compares the names of all files of the project.
func (r *caseRun) judgeTree(e expectation) string {
	if e.OnlyFiles == nil {
		return ""
	}
	var got []string
	err := filepath.WalkDir(r.root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(r.root, p)
			got = append(got, filepath.ToSlash(rel))
		}
		return err
	})
	slices.Sort(got)
	want := slices.Sorted(slices.Values(e.OnlyFiles))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		return fmt.Sprintf("other files (-want +got): %s, %v", diff, err)
	}
	return ""
}

// judgeRuns repeats the last call.
func (r *caseRun) judgeRuns(e expectation) string {
	for range e.SameRuns {
		if text, _, err := r.call(r.c.Calls[len(r.c.Calls)-1]); text != r.text || err != nil {
			return fmt.Sprintf("another run gives %q, %v", clipped(text), err)
		}
	}
	return ""
}
