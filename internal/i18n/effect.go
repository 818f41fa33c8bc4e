package i18n

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Touch is one thing that a call would touch: a verb of the session's events (read, write, delete,
// run, net, spawn, privilege, opaque, talk) and its target.
type Touch struct{ Verb, Target string }

// What a call would do, from what it would touch.
var (
	EffectDelete    = Text{"deletes %s", "删除 %s"}
	EffectPrivilege = Text{"needs administrator rights", "需要管理员权限"}
	EffectOpaque    = Text{"does something unknown", "有无法判断的操作"}
	EffectOpaqueBy  = Text{"does something unknown (%s)", "有无法判断的操作（%s）"}
	EffectNet       = Text{"reaches %s", "访问网络 %s"}
	EffectNetAny    = Text{"reaches the network", "访问网络"}
	EffectRemote    = Text{"a git remote", "git 远程仓库"}
	EffectRegistry  = Text{"a package registry", "软件包仓库"}
	EffectRun       = Text{"runs project code (%s)", "运行项目代码（%s）"}
	EffectSpawn     = Text{"starts %s", "启动 %s"}
	EffectWrite     = Text{"writes %s", "写入 %s"}
	EffectRead      = Text{"reads %s", "读取 %s"}
	EffectUnnamed   = Text{"what is not known", "无法判断的对象"}
	EffectMore      = Text{"%s and %d more", "%s 等另外 %d 项"}
	EffectItems     = Text{", ", "、"}
	EffectParts     = Text{", ", "，"}
	EffectNone      = Text{"touches nothing", "不触及任何东西"}
)

// effectVerb is a verb with its words and, where a target may be missing, the words without one.
type effectVerb struct {
	verb        string
	with, alone Text
}

// effectVerbs are the verbs in the order of their danger.
func effectVerbs() []effectVerb {
	return []effectVerb{
		{"delete", EffectDelete, Text{}},
		{"privilege", EffectPrivilege, EffectPrivilege},
		{"opaque", EffectOpaqueBy, EffectOpaque},
		{"net", EffectNet, EffectNetAny},
		{"run", EffectRun, Text{}},
		{"spawn", EffectSpawn, Text{}},
		{"write", EffectWrite, Text{}},
		{"read", EffectRead, Text{}},
	}
}

const (
	// effectItems is how many targets of a verb are named.
	effectItems = 3
	// effectWidth is how many characters of a target are shown: what is cut is its middle.
	effectWidth = 60
)

// Effect says in one line what a call would do: what is dangerous first, long lists with a count. A
// call that declares nothing may do anything. The targets are to be made safe to print by the
// caller.
func (l Lang) Effect(touches []Touch) string {
	if len(touches) == 0 {
		return l.Say(EffectOpaque)
	}
	var parts []string
	for _, v := range effectVerbs() {
		var targets []string
		found := false
		for _, t := range touches {
			if t.Verb != v.verb {
				continue
			}
			found = true
			if t.Verb == "net" {
				t.Target = l.place(t.Target)
			}
			if !slices.Contains(targets, t.Target) {
				targets = append(targets, t.Target)
			}
		}
		if found {
			parts = append(parts, l.effect(v.with, v.alone, targets))
		}
	}
	if len(parts) == 0 {
		return l.Say(EffectNone)
	}
	return strings.Join(parts, l.Say(EffectParts))
}

// effect is what is done to the targets of one verb. A missing target is the unknown one, unless the
// verb has words for that.
func (l Lang) effect(with, alone Text, targets []string) string {
	if with == alone {
		return l.Say(alone)
	}
	targets = slices.DeleteFunc(targets, func(t string) bool { return t == "" && alone.EN != "" })
	if len(targets) == 0 {
		return l.Say(alone)
	}
	return l.Say(with, l.items(targets))
}

// items is a list of targets, the first few by name.
func (l Lang) items(targets []string) string {
	var named []string
	for _, t := range targets[:min(len(targets), effectItems)] {
		if t == "" {
			t = l.Say(EffectUnnamed)
		}
		named = append(named, middle(t, effectWidth))
	}
	list := strings.Join(named, l.Say(EffectItems))
	if more := len(targets) - len(named); more > 0 {
		return l.Say(EffectMore, list, more)
	}
	return list
}

// place is where in the network a call goes. What a command line does not name is called by what it
// is.
func (l Lang) place(target string) string {
	switch target {
	case "remote":
		return l.Say(EffectRemote)
	case "registry":
		return l.Say(EffectRegistry)
	}
	return target
}

// middle cuts the middle out of a text of more than most characters.
func middle(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	half := (most - 3) / 2
	return string(r[:half]) + "..." + string(r[len(r)-half:])
}
