package fault

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"paicli/llm"
)

// The lists below are what servers are known to say, in lower case. They were collected from the
// vendors' documentation and from the public reports that the wire cases name.

var overflowCodes = []string{
	"context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded", "1261",
	"context_window_exceeded", "max_context_length_exceeded", "string_above_max_context_length",
}

var overflowWords = []string{
	"context_length_exceeded", "model_context_window_exceeded", "exceeds the context window",
	"exceed the context window", "exceeded the context window", "exceeds context window",
	"context window exceed", "context window is full", "exceeds your context window",
	"prompt is too long", "prompt too long", "prompt exceeds max length", "input is too long",
	"input is longer than", "maximum context length", "max context length", "maximum context size",
	"available context size", "greater than the context length", "exceeds the context length",
	"exceed context length", "exceeds context length", "context length exceeded", "context size exceeded",
	"context size has been exceeded", "longer than the model's context", "larger than the context",
	"range of input length should be", "exceeded model token limit", "exceeds the maximum number of tokens",
	"maximum allowed input length", "maximum input length", "maximum prompt length",
	"too large for model with", "reduce the length of the messages", "reduce the length of your prompt",
	"tokens exceed the", "exceeds the model's maximum", "exceeds the max input",
	"上下文长度", "上下文窗口", "输入长度超", "超过最大长度", "超出最大长度", "超出模型最大", "超过模型最大", "超长",
}

var byteCodes = []string{"request_too_large", "payload_too_large"}

var byteWords = []string{
	"request_too_large", "body size", "number of bytes", "request entity too large", "payload too large",
	"request body too large", "body is too large", "content too large", "body exceeds", "请求体过大",
}

// minuteCodes are quota codes that are used for speed limits as well.
var minuteCodes = []string{"resource_exhausted"}

var minuteWords = []string{
	"per minute", "per-minute", "per min", "perminute", "per second", "per-second", "rate limit",
	"rate_limit", "rpm", "tpm", "qps", "每分钟", "每秒",
}

var quotaCodes = []string{
	"insufficient_quota", "insufficient_balance", "insufficient_credits", "quota_error", "quota_exceeded",
	"exceeded_current_quota_error", "billing_not_active", "billing_hard_limit_reached", "billing_error",
	"payment_required", "arrearage", "allocationquota.freetieronly", "budget_exceeded", "usage_limit_reached",
	"1113", "1304", "1308", "1309", "1310", "1316", "20098", "base_resp:1008", "base_resp:2056",
}

var quotaWords = []string{
	"insufficient balance", "insufficient credit", "insufficient_quota", "insufficient quota", "insufficient fund",
	"exceeded your current quota", "quota exhausted", "quota exceeded", "exceeded quota", "quota has been exhausted",
	"out of credit", "no credits", "credit balance", "more credits", "account balance", "payment required",
	"limit exhausted", "usage limit reached", "usage limit has been reached", "hit your usage limit",
	"please recharge", "余额不足", "欠费", "额度不足", "额度已", "配额已", "超出配额", "资源包", "套餐已用",
}

type codeRule struct {
	kind  llm.ErrorKind
	codes []string
}

var codeRules = []codeRule{
	{llm.ErrBadStream, []string{"tool_use_failed"}},
	{llm.ErrOverloaded, []string{
		"overloaded_error", "engine_overloaded_error", "server_overloaded", "overloaded", "provider_unavailable",
		"service_unavailable", "unavailable", "server_busy", "1305", "1312",
	}},
	{llm.ErrRateLimit, []string{
		"rate_limit_exceeded", "rate_limit_error", "rate_limit_reached_error", "rate_limited", "too_many_requests",
		"throttling_error", "throttling", "throttling.ratequota", "throttling.allocationquota", "limit_requests",
		"resource_exhausted", "1302", "1303", "base_resp:1002", "base_resp:1039", "base_resp:1041", "base_resp:2045",
	}},
	{llm.ErrContentFilter, []string{
		"content_filter", "content_policy_violation", "data_inspection_failed", "datainspectionfailed",
		"responsibleaipolicyviolation", "1301", "base_resp:1026", "base_resp:1027",
	}},
	{llm.ErrAuth, []string{
		"invalid_api_key", "authentication_error", "invalid_authentication_error", "incorrect_api_key_error",
		"unauthenticated", "base_resp:1004", "base_resp:2049",
	}},
	{llm.ErrServer, []string{"base_resp:1000", "base_resp:1001", "base_resp:1013", "base_resp:1024", "base_resp:1033"}},
	{llm.ErrInvalidRequest, []string{"model_not_found", "base_resp:2013", "base_resp:1042"}},
}

type wordRule struct {
	kind  llm.ErrorKind
	words []string
}

// wordRules hold for every status: a 500 that carries a chat-template error is a bad request, a 503
// of a proxy that has no channel for the model is one as well.
var wordRules = []wordRule{
	{llm.ErrConfig, []string{"--enable-auto-tool-choice", "--tool-call-parser", "does not support tools", "--jinja"}},
	{llm.ErrBadStream, []string{"parsing tool call", "parse tool call", "failed_generation"}},
	{llm.ErrInvalidRequest, []string{
		"jinja", "chat template", "chat_template", "template exception", "roles must alternate", "无可用渠道", "no available channel",
		"no channel available",
	}},
	{llm.ErrOverloaded, []string{
		"overloaded", "at capacity", "over capacity", "no capacity", "server is busy", "system is busy", "high demand",
		"loading model", "model is loading", "temporarily unavailable", "负载", "繁忙", "访问量过大", "过载",
	}},
	{llm.ErrRateLimit, []string{
		"rate limit", "rate_limit", "rate-limit", "too many requests", "throttl", "请求过于频繁", "请求频率", "频率过高", "并发数过高", "限流",
	}},
	{llm.ErrContentFilter, []string{
		"content_filter", "content filter", "content management policy", "content policy", "inappropriate content",
		"data inspection", "flagged as", "违规", "敏感", "不安全",
	}},
}

var serverCodes = []string{
	"server_error", "internal_error", "internal_server_error", "internalservererror", "api_error", "upstream_error",
	"internal", "bad_gateway", "timeout", "timeout_error",
}

var serverWords = []string{"server_error", "internal error", "internal server error", "timeout", "timed out", "upstream", "try again", "内部错误"}

var imageWords = []string{
	"media type", "media_type", "not support", "unsupported", "could not process", "unable to process",
	"invalid", "cannot read", "declared", "failed to decode", "unknown variant", "only text", "不支持",
}

var refusalCodes = []string{
	"unsupported_parameter", "unknown_parameter", "unsupported_value", "extra_forbidden", "unrecognized_parameter",
}

var refusalWords = []string{
	"unsupported parameter", "unknown parameter", "unrecognized request argument", "unrecognized parameter",
	"unexpected keyword", "unknown field", "unknown name", "unknown argument", "not permitted", "is unsupported",
	"not supported", "does not support", "unsupported value", "additional properties", "不支持",
}

// refusedParam is the name of the request field that the error tells to leave out, or "".
func (s *signs) refusedParam() string {
	if s.has("stream_options") {
		return "stream_options"
	}
	if !s.coded(refusalCodes) && !s.has(refusalWords...) {
		return ""
	}
	if s.param != "" && !strings.HasPrefix(s.param, "messages") {
		return s.param
	}
	if m := quotedName().FindStringSubmatch(s.detail); m != nil {
		return m[1]
	}
	return s.param
}

// WantsReasoning reports whether a server insists on the reasoning of earlier calls.
func WantsReasoning(e *llm.Error) bool {
	text := strings.ToLower(e.Detail)
	insists := strings.Contains(text, "must be passed back") || strings.Contains(text, "is missing") || strings.Contains(text, "required")
	return insists && strings.Contains(text, "reasoning_content")
}

var quotedName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i)(?:argument supplied|parameter|field|name|property|argument|keyword)s?:? *(?:is |are )?(?:not supported: *)?[`'\"“‘]?([A-Za-z][A-Za-z0-9_.\\[\\]]*_[A-Za-z0-9_.\\[\\]]*|temperature|top_p|thinking|reasoning|tools)\\b")
})

var windowForms = sync.OnceValue(func() []*regexp.Regexp {
	const n = `(\d[\d,_]*)`
	forms := []string{
		`(?:maximum|max) context (?:length|size|window)(?: is| of|:)? *\(?` + n,
		`available context size \(?` + n,
		`context (?:window|length|size|limit)(?: is| of|:)? *\(?` + n,
		`token limit:? *\(?` + n,
		`input length should be \[\d+, *` + n,
		`maximum number of tokens allowed \(?` + n,
		`maximum (?:allowed )?input length(?: is| of)? *\(?` + n,
		`maximum prompt length(?: is| of)? *\(?` + n,
		n + ` maximum\b`,
	}
	out := make([]*regexp.Regexp, len(forms))
	for i, f := range forms {
		out[i] = regexp.MustCompile(f)
	}
	return out
})

// windowIn finds the context window that an overflow text tells, in tokens, or 0. Numbers outside
// of what a window can be (512 to 100 million) are taken for something else.
func windowIn(text string) int {
	for _, re := range windowForms() {
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(m[1]))
		if err == nil && n >= 512 && n <= 100_000_000 {
			return n
		}
	}
	return 0
}
