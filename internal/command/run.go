package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paicli/agent"
	"paicli/internal/i18n"
	"paicli/llm"
)

func help(at Place, _ Desk, _ string) Result {
	var b strings.Builder
	for _, c := range Table() {
		name := strings.TrimSpace("/" + c.Name + " " + c.Takes)
		fmt.Fprintf(&b, "%-16s %s\n", name, at.Lang.Say(c.About))
	}
	return Result{Text: b.String() + at.Lang.Say(i18n.SlashKeys)}
}

// model shows the model, or asks for another one.
func model(at Place, desk Desk, name string) Result {
	if name == "" {
		text := at.Lang.Say(i18n.SlashModelIs, at.Model.Name)
		others := slices.DeleteFunc(slices.Clone(desk.Models()), func(m string) bool { return m == at.Model.Name })
		if len(others) > 0 {
			text += "\n" + at.Lang.Say(i18n.SlashModelOther, strings.Join(others, ", "))
		}
		return Result{Text: text}
	}
	m, problem := desk.Choose(name)
	if problem != "" {
		return Result{Text: problem}
	}
	return Result{Text: at.Lang.Say(i18n.SlashModelSet, m.Name), Op: agent.Set{Key: "model", Value: m.Name}, Model: &m}
}

// window says how full the model's window is, and what the session has used.
func window(at Place, _ Desk, _ string) Result {
	used := at.Last.Input + at.Last.Output
	text := at.Lang.Say(i18n.SlashNoWindow, Tokens(used))
	if w := at.Model.Window; w > 0 {
		text = at.Lang.Say(i18n.SlashWindow, Tokens(used), Tokens(w), used*100/w)
	}
	t := at.Totals
	return Result{Text: text + "\n" + at.Lang.Say(i18n.SlashTotals,
		t.Requests, Tokens(t.Usage.Input), Tokens(t.Usage.Cached), Tokens(t.Usage.Output), Cost(at.Lang, at.ASCII, t.Costs))}
}

func sessions(at Place, desk Desk, _ string) Result {
	infos, err := desk.Sessions()
	if err != nil {
		return Result{Text: err.Error()}
	}
	if len(infos) == 0 {
		return Result{Text: at.Lang.Say(i18n.SessionNone)}
	}
	var b strings.Builder
	for _, i := range infos {
		fmt.Fprintf(&b, "%s  %s  %s\n", i.ID, i.Modified.Local().Format("2006-01-02 15:04"), i.Title)
	}
	return Result{Text: b.String() + at.Lang.Say(i18n.SlashResume)}
}

func fresh(at Place, _ Desk, _ string) Result {
	if at.Running {
		return Result{Text: at.Lang.Say(i18n.SlashBusy)}
	}
	return Result{Do: Fresh}
}

func cancel(at Place, _ Desk, _ string) Result {
	if !at.Running {
		return Result{Text: at.Lang.Say(i18n.SlashIdle)}
	}
	return Result{Op: agent.Interrupt{}}
}

func leave(Place, Desk, string) Result { return Result{Do: Leave} }

// Tokens is a number of tokens in short: 950, 12.3k, 1.2M.
func Tokens(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// Cost is what was spent, by currency, in words.
func Cost(lang i18n.Lang, ascii bool, costs map[string]float64) string {
	var parts []string
	for currency, amount := range costs {
		parts = append(parts, money(ascii, llm.Money{Amount: amount, Currency: currency}))
	}
	if len(parts) == 0 {
		return lang.Say(i18n.RunNoPrice)
	}
	slices.Sort(parts)
	return lang.Say(i18n.RunCost, strings.Join(parts, " + "))
}

func money(ascii bool, m llm.Money) string {
	digits := 2
	if m.Amount < 1 {
		digits = 4
	}
	amount := fmt.Sprintf("%.*f", digits, m.Amount)
	switch {
	case m.Currency == "USD":
		return "$" + amount
	case m.Currency == "CNY" && !ascii:
		return "¥" + amount
	}
	return amount + " " + m.Currency
}

// auditShown is how many calls are shown when nobody says how many.
const auditShown = 20

// audit shows the last calls of the day.
func audit(at Place, desk Desk, count string) Result {
	n := auditShown
	if count != "" {
		var err error
		if n, err = strconv.Atoi(count); err != nil || n < 1 {
			return Result{Text: at.Lang.Say(i18n.ArgBadValue, "/audit", count)}
		}
	}
	return Result{Text: desk.Audit(n)}
}

func policy(at Place, desk Desk, _ string) Result { return Result{Text: desk.Policy(at.Mode)} }
