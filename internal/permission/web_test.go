package permission

import (
	"slices"
	"testing"
)

func TestForbidsWeb(t *testing.T) {
	for _, words := range []string{
		"请勿联网，修复代码", "仅使用本地资料完成分析", "Please don't open the browser; fix the code", "不要联网", "请别用浏览器", "offline only",
		"禁止上网，直接改", "不要去网上搜索", "只用我给出的资料", "Do not search the web.", "don’t browse", "Answer without using the internet",
		"Fix it. No web access, please.", "never use the network", "use only the provided files", "work offline", "请离线完成", "不许访问外网",
		"Avoid searching online and fix the test", "no internet", "refactor this, do not go online",
	} {
		if !forbidsWeb("hello\n" + words) {
			t.Errorf("%q was not understood", words)
		}
	}
	for _, words := range []string{
		"", "进入 demo 目录，编译并运行 Hello.java", "继续", "帮我搜一下《Agent 工程实践》的作者", "修复 browser 模块", "分析 Chrome DevTools MCP",
		"请先搜索最新资料，再改写这个标题", "请联网搜索最新资料", "search the web for the newest release", "fix the offline mode", "修复离线模式",
		"handle the case of no internet connection", "users cannot open the browser from the menu", "add a flag --no-web",
		"不要搜索 node_modules 目录", "add the text 'do not browse the web' to the page", "write a search for the web shop", "don't search node_modules",
		"the network must not fail", "只修改本地文件 a.go",
	} {
		if forbidsWeb(words) {
			t.Errorf("%q was understood as an order to stay offline", words)
		}
	}
}

func TestAddresses(t *testing.T) {
	got := addresses(`see https://Example.com/Docs/, (http://a.b/x#y) “https://c.d/?q=1”，and https:\/\/e.f\/g. httpx HTTP://H.I`)
	want := []string{"https://example.com/Docs", "http://a.b/x", "https://c.d/?q=1", "https://e.f/g", "http://h.i"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"http://localhost:3000/x": true, "localhost": true, "127.0.0.1:80": true, "http://[::1]:8/": true, "http://app.localhost": true,
		"http://user:x@localhost/": true, "http://localhost.evil.example/": false, "http://localhost@evil.example/": false,
		"http://10.0.0.1": false, "remote": false, "127.evil.example": false, "::ffff:127.0.0.1": true,
	} {
		if got := isLoopback(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

func FuzzAddresses(f *testing.F) {
	f.Add("see https://a.b/c, 不要联网")
	f.Fuzz(func(t *testing.T, text string) {
		for _, a := range addresses(text) {
			hostOf(a)
			isLoopback(a)
		}
		forbidsWeb(text)
	})
}
