package i18n

import (
	"testing"
)

func TestDetect(t *testing.T) {
	env := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	tests := []struct {
		name     string
		explicit string
		env      map[string]string
		want     Lang
	}{
		{"nothing", "", env(), EN},
		{"LANG zh", "", env("LANG", "zh"), ZH},
		{"LANG zh_CN.UTF-8", "", env("LANG", "zh_CN.UTF-8"), ZH},
		{"LANG zh_TW", "", env("LANG", "zh_TW"), ZH},
		{"LANG zh-Hans", "", env("LANG", "zh-Hans"), ZH},
		{"LANG zh_HK.UTF-8@radical", "", env("LANG", "zh_HK.UTF-8@radical"), ZH},
		{"LANG ZH_cn.gbk", "", env("LANG", "ZH_cn.gbk"), ZH},
		{"LANG C", "", env("LANG", "C"), EN},
		{"LANG C.UTF-8", "", env("LANG", "C.UTF-8"), EN},
		{"LANG POSIX", "", env("LANG", "POSIX"), EN},
		{"LANG de", "", env("LANG", "de_DE.UTF-8"), EN},
		{"not a language that begins alike", "", env("LANG", "zha"), EN},
		{"LC_ALL before LANG", "", env("LANG", "zh_CN.UTF-8", "LC_ALL", "C"), EN},
		{"LC_MESSAGES before LANG", "", env("LANG", "en_US.UTF-8", "LC_MESSAGES", "zh_CN.UTF-8"), ZH},
		{"LC_ALL before LC_MESSAGES", "", env("LC_ALL", "en_US", "LC_MESSAGES", "zh_CN"), EN},
		{"empty is not set", "", env("LC_ALL", "", "LANG", "zh_CN"), ZH},
		{"PAICLI_LANG before LC_ALL", "", env("PAICLI_LANG", "zh", "LC_ALL", "C"), ZH},
		{"explicit before all", "en", env("PAICLI_LANG", "zh", "LC_ALL", "zh_CN"), EN},
		{"explicit zh", "zh", env("LANG", "C"), ZH},
		{"explicit unknown", "fr", env("LANG", "zh_CN"), EN},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Detect(tt.explicit, func(name string) string { return tt.env[name] })
			if got != tt.want {
				t.Errorf("Detect = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	for s, want := range map[string]bool{"en": true, "zh": true, "zh-CN": true, "": false, "fr": false, "C": false} {
		if _, ok := Parse(s); ok != want {
			t.Errorf("Parse(%q) ok = %v, want %v", s, ok, want)
		}
	}
}

func TestSay(t *testing.T) {
	text := Text{"%[1]s of %[2]d", "%[2]d 中的 %[1]s"}
	if got := EN.Say(text, "a", 3); got != "a of 3" {
		t.Errorf("EN: %q", got)
	}
	if got := ZH.Say(text, "a", 3); got != "3 中的 a" {
		t.Errorf("ZH: %q", got)
	}
	if got := Lang("").Say(text, "a", 3); got != "a of 3" {
		t.Errorf("zero Lang: %q", got)
	}
}
