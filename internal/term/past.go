package term

import "slices"

// past is what was entered before, and where in it a person is looking.
type past struct {
	drafts []Draft
	at     int   // how far back, 0 = the draft itself
	own    Draft // the draft that was left to look back
}

// Remember adds an entry to those that Up brings back, unless it is the last one again.
func (e *Editor) Remember(d Draft) {
	last := len(e.past.drafts) - 1
	if len(d) == 0 || last >= 0 && e.past.drafts[last].Text() == d.Text() {
		return
	}
	e.past.drafts = append(e.past.drafts, slices.Clone(d))
}

// up moves a row up, in the first row to the entry before.
func (e *Editor) up() {
	if e.vertical(-1) || e.past.at >= len(e.past.drafts) {
		return
	}
	if e.past.at == 0 {
		e.past.own = e.text
	}
	e.recall(e.past.at + 1)
}

// down moves a row down, in the last row to the entry after.
func (e *Editor) down() {
	if e.vertical(1) || e.past.at == 0 {
		return
	}
	e.recall(e.past.at - 1)
}

func (e *Editor) recall(at int) {
	d := e.past.own
	if at > 0 {
		d = e.past.drafts[len(e.past.drafts)-at]
	}
	e.Set(d)
	e.past.at = at
}
