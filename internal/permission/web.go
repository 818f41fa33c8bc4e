package permission

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"paicli/internal/effect"
)

// noWeb are the ways of saying that a job is to be done without the network: an order, not a word
// about the web. In English it stands at the beginning of a clause.
var noWeb = sync.OnceValue(func() *regexp.Regexp {
	const (
		clause  = `(?:^|[.,;:!?，。；：！？\n(（]\s*|\bplease\s+|\band\s+|\bbut\s+|\bthen\s+|\bso\s+|\byou\s+(?:must\s+|should\s+)?)`
		end     = `\s*(?:$|[.,;:!?，。；：！？\n)）]|\band\b|\bplease\b)`
		net     = `(?:the\s+)?(?:web|internet|browser|network|online)\b`
		using   = `(?:use|using|open|opening|access|accessing|launch|launching|touch|touching|connect(?:ing)?\s+to|go(?:ing)?(?:\s+on)?)\s+`
		looking = `(?:search(?:ing)?|brows(?:e|ing)|look(?:ing)?|fetch(?:ing)?)\s+(?:anything\s+)?(?:on\s+|from\s+|up\s+)?(?:things\s+)?` + net
		browse  = `(?:brows(?:e|ing)|web\s+search(?:es)?|search(?:ing)?)` + end
	)
	return regexp.MustCompile(`(?i)` + strings.Join([]string{
		`(?:不要|不准|不许|不得|不允许|不可|请勿|切勿|勿|别|禁止|避免|无需|不必|不用)(?:再|去|来|使用|用|进行|打开|启动|访问|连接|通过|开|上|在)*(?:联网|上网|连网|网上|网络|互联网|外网|浏览器|浏览网页|网页|搜网|搜索(?:网|互联|\s*$|\s*[，。；,.;!！]))`,
		`(?:仅|只|仅仅|只能|只可|只准)(?:允许|可以|能)?(?:使用|用|基于|根据|依据|参考|依靠|凭)(?:我)?(?:本地|已有|现有|给定|给出|提供|所给|附带|上述|以上)的?(?:资料|材料|文件|内容|信息|代码|文档|数据|资源)`,
		`(?:请|全程|必须|保持|仅|只)离线`,
		clause + `(?:do\s+not|don't|dont|never|avoid|must\s+not|no\s+need\s+to)\s+(?:ever\s+)?(?:` + using + net + `|` + looking + `|` + browse + `)`,
		`\bwithout\s+(?:` + using + `|browsing\s+|searching\s+)` + net,
		clause + `no\s+(?:web|internet|network|browser|browsing|online)(?:\s+(?:access|search(?:es)?|searching|browsing|use|lookups?))?` + end,
		clause + `(?:offline\s+only|only\s+offline|(?:work|stay)\s+offline)` + end,
		`(?:\bonly\s+us(?:e|ing)|\bus(?:e|ing)\s+only|\bbased\s+only\s+on|\brely(?:ing)?\s+only\s+on)\s+(?:the\s+|my\s+)?(?:local|provided|given|attached|supplied)\s+(?:\w+\s+)?(?:files?|materials?|sources?|documents?|docs|data|information|content|resources?)\b`,
	}, `|`))
})

// forbidsWeb reports whether the user's words of this turn rule the network out.
func forbidsWeb(words string) bool {
	return noWeb().MatchString(strings.ReplaceAll(words, "’", "'"))
}

// reachesWeb reports whether a command line would leave the machine.
func reachesWeb(found effect.Analysis) bool {
	return slices.ContainsFunc(found.Access, func(a effect.Access) bool { return a.Verb == effect.Net && !isLoopback(a.Target) })
}

// unsourced reports whether a command line reaches an address that the user did not give in this turn.
// What a program fetches by itself (packages, a git remote) has no address in the text.
func unsourced(found effect.Analysis, words string) bool {
	given := addresses(words)
	for _, c := range found.Commands {
		for _, w := range c.Words {
			for _, a := range addresses(w) {
				if !isLoopback(a) && !slices.Contains(given, a) {
					return true
				}
			}
		}
	}
	return slices.ContainsFunc(found.Access, func(a effect.Access) bool {
		host := hostOf(a.Target)
		return a.Verb == effect.Net && strings.Contains(host, ".") && !isLoopback(host) &&
			!slices.ContainsFunc(given, func(g string) bool { return hostOf(g) == host })
	})
}

// addresses are the web addresses in a text, in one spelling.
func addresses(text string) []string {
	text = strings.ReplaceAll(text, `\/`, "/")
	var out []string
	for {
		i := strings.Index(strings.ToLower(text), "http")
		if i < 0 {
			return out
		}
		text = text[i:]
		end := strings.IndexFunc(text, func(r rune) bool {
			return r <= ' ' || strings.ContainsRune("\"'`<>()[]{}|\\^，。；：！？、（）《》“”‘’", r)
		})
		if end < 0 {
			end = len(text)
		}
		if word := strings.ToLower(text[:end]); strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") {
			out = append(out, canonical(text[:end]))
		}
		text = text[max(end, len("http")):]
	}
}

// canonical is an address without what does not matter: punctuation behind it, the case of scheme and
// host, a fragment, a last slash.
func canonical(address string) string {
	address = strings.TrimRight(address, ".,;:!?\"'")
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Scheme, u.Host, u.Fragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), ""
	s := u.String()
	if u.RawQuery == "" {
		s = strings.TrimRight(s, "/")
	}
	return s
}

// hostOf is the host of an address, with or without a scheme.
func hostOf(address string) string {
	if _, after, ok := strings.Cut(address, "://"); ok {
		address = after
	}
	if i := strings.IndexAny(address, "/?#"); i >= 0 {
		address = address[:i]
	}
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		address = address[i+1:]
	}
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	return strings.ToLower(strings.Trim(address, "[]"))
}

// isLoopback reports whether an address is surely on this machine.
func isLoopback(address string) bool {
	host := hostOf(address)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
