package permission

import (
	"net/netip"
	"net/url"
	"strings"

	"paicli/agent"
	"paicli/internal/effect"
	"paicli/session"
)

// Report is what the policy says of something, without anybody having asked for it.
type Report struct {
	Verdict  string // allow, review, ask or deny
	Code     string // why: the codes
	Detail   string // of the code
	Rule     string // that decided
	Commands []string
	Access   []session.Access
	Opaque   bool
}

// Report judges a call of a tool in the mode of the moment, as the gates would. Nothing is run.
func (p *Policy) Report(tool string, access []agent.Access) Report {
	j := p.judge(subject{tool: tool, access: access}).in(p.o.Mode())
	r := Report{
		Verdict: j.verdict.String(), Detail: j.detail, Rule: j.rule,
		Commands: j.commands, Access: j.access, Opaque: j.opaque,
	}
	switch {
	case j.code == CodeFloor:
		r.Code, r.Detail = string(j.found.Code), j.found.Command
	case j.verdict != effect.Allow:
		r.Code = j.code
	case j.rule != "":
		r.Code, r.Detail = CodeRule, j.rule
	case j.edits:
		r.Code, r.Detail = CodeEdits, ""
	default:
		r.Code, r.Detail = CodeLooks, ""
	}
	return r
}

// CodeScheme and CodeLocal say why an address is not fetched.
const (
	CodeScheme = "scheme" // neither http nor https
	CodeLocal  = "local"  // this machine or a private network
)

// ReportURL judges an address by its text: no name is looked up.
func (p *Policy) ReportURL(address string) Report {
	r := Report{Verdict: effect.Deny.String(), Detail: address, Access: []session.Access{{Verb: string(agent.VerbNet), Target: address}}}
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		r.Code = CodeScheme
	case isLoopback(address) || isPrivate(u.Hostname()):
		r.Code = CodeLocal
	default:
		r.Verdict, r.Code = effect.Review.String(), CodeCommand
	}
	return r
}

// isPrivate reports whether a host is an address that no public server has.
func isPrivate(host string) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.Unmap()
	return ip.IsPrivate() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || netip.MustParsePrefix("100.64.0.0/10").Contains(ip)
}
