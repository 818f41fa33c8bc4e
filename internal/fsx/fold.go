package fsx

import (
	"strings"
)

// fold makes names equal that one file system or another takes for the same: without regard to case
// (also that of Unicode, where the long s is an s), without characters that HFS+ leaves out, and
// without the dots, spaces and streams that Windows drops from the end. Names that are protected are
// compared so on every system, since the project may be opened on another.
func fold(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if i > 0 || !strings.HasSuffix(part, ":") { // C: is a volume
			part, _, _ = strings.Cut(part, ":")
		}
		part = strings.Map(unseen, part)
		if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
			part = trimmed
		}
		parts[i] = strings.ToLower(strings.ToUpper(part))
	}
	return strings.Join(parts, "/")
}

// foldName is fold for a single name, at no cost for the usual ones.
func foldName(name string) string {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || 'A' <= c && c <= 'Z' || c == ':' || c == ' ' {
			return fold(name)
		}
	}
	return strings.TrimRight(name, ".")
}

// unseen drops the characters that HFS+ ignores in names.
func unseen(r rune) rune {
	switch {
	case r >= 0x200C && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x206A && r <= 0x206F, r == 0xFEFF:
		return -1
	}
	return r
}
