package app

import (
	"path/filepath"
	"time"

	"paicli/internal/audit"
	"paicli/internal/config"
)

// AuditDir is where calls are recorded, "" when there is no home.
func AuditDir(cfg *config.Config) string {
	if cfg.Home == "" {
		return ""
	}
	return filepath.Join(cfg.Home, "audit")
}

// record writes the calls of the session into the audit log, also when the session itself is not
// kept.
func (a *App) record() {
	dir := AuditDir(a.opts.Config)
	if dir == "" {
		return
	}
	want := a.opts.Session
	a.audit = audit.Follow(a.Log, audit.Options{
		Dir: dir, Mode: a.Mode(), CWD: a.opts.Root, Warn: a.opts.AuditFailed,
		Resumed: want.Resume != "" && !want.Fork, Since: begun(a.Log.ID()),
	})
}

// begun is a day before the one that a session's id begins with, since that may be of another time
// zone.
func begun(id string) time.Time {
	const layout = "20060102"
	at, err := time.Parse(layout, id[:min(len(id), len(layout))])
	if err != nil {
		return time.Time{}
	}
	return at.AddDate(0, 0, -1)
}

// recorded waits until the calls of a closed session are written.
func (a *App) recorded() {
	if a.audit != nil {
		a.audit.Wait()
	}
}
