package i18n

// What happened, one text for each kind of model error. The argument is who failed: the provider's
// name, or the host of a custom server.
var (
	ErrAuth            = Text{"%s did not accept the key", "%s 没有接受这个密钥"}
	ErrRateLimit       = Text{"%s is limiting the rate of requests", "%s 限制了请求频率"}
	ErrQuota           = Text{"the account at %s has no credit or quota left", "%s 账户的余额或额度已用完"}
	ErrOverloaded      = Text{"%s is overloaded", "%s 负载过高"}
	ErrContextOverflow = Text{"the conversation is longer than the context window of the model at %s", "对话超出了 %s 上该模型的上下文窗口"}
	ErrPayloadTooLarge = Text{"the request is too large for %s", "请求体积超出了 %s 的上限"}
	ErrInvalidRequest  = Text{"%s refused the request", "%s 拒绝了这个请求"}
	ErrContentFilter   = Text{"the content filter of %s stopped the answer", "%s 的内容审核拦截了回答"}
	ErrNetwork         = Text{"the connection to %s failed", "与 %s 的连接失败"}
	ErrStall           = Text{"%s stopped sending: the answer timed out", "%s 停止发送数据：回答超时"}
	ErrServer          = Text{"%s failed with an error of its own", "%s 自身出错，请求失败"}
	ErrBadStream       = Text{"the answer of %s was broken off or cannot be read", "%s 的回答中途断开或无法解析"}
	ErrEmpty           = Text{"%s sent an empty answer", "%s 返回了空回答"}
	ErrConfig          = Text{"%s does not answer like a model server at this address", "%s 在这个地址上的响应不像模型服务"}
	ErrInternal        = Text{"PaiCLI failed inside while talking to %s", "与 %s 通信时 PaiCLI 内部出错"}
)

// Parts that follow what happened.
var (
	ErrStatus = Text{" (HTTP %d)", "（HTTP %d）"}
	ErrDetail = Text{": %s", "：%s"}
	ErrServed = Text{"the model server", "模型服务"}
)

// What to do next.
var (
	HintAuth            = Text{"Check the key in %s.", "请检查 %s 中的密钥。"}
	HintAuthURL         = Text{"Check the key in %s; keys are made at %s.", "请检查 %s 中的密钥；可在 %s 创建密钥。"}
	HintRateLimit       = Text{"Wait a minute and ask again, or choose another model with --model.", "请等待一分钟后再试，或用 --model 换一个模型。"}
	HintComeBack        = Text{"Come back at %s (in %s), or choose another model with --model.", "请在 %s 之后再来（还需 %s），或用 --model 换一个模型。"}
	HintQuota           = Text{"Top up the account, or choose another model with --model.", "请为账户充值，或用 --model 换一个模型。"}
	HintQuotaURL        = Text{"Top up the account at %s, or choose another model with --model.", "请在 %s 为账户充值，或用 --model 换一个模型。"}
	HintOverloaded      = Text{"Ask again in a few minutes, or choose another model with --model.", "请过几分钟再试，或用 --model 换一个模型。"}
	HintContextOverflow = Text{"Start a new session, ask for a smaller part, or choose a model with a larger window. If the window is known wrongly, set PAICLI_CONTEXT_WINDOW.", "请开始新会话、缩小任务范围，或换一个窗口更大的模型。若窗口大小识别有误，请设置 PAICLI_CONTEXT_WINDOW。"}
	HintPayloadTooLarge = Text{"Send less at once: fewer or smaller images and files.", "请一次少发一些内容：减少图片和文件的数量或大小。"}
	HintInvalidRequest  = Text{"Check the model's name (paicli models) and the protocol of the server; what the server said is above.", "请检查模型名称（paicli models）和服务的协议；服务的原话见上。"}
	HintContentFilter   = Text{"Word the request differently, or choose another model with --model.", "请换一种说法，或用 --model 换一个模型。"}
	HintNetwork         = Text{"Check the connection and the address %s. If a proxy is needed, set HTTPS_PROXY.", "请检查网络连接和地址 %s。如果需要代理，请设置 HTTPS_PROXY。"}
	HintNetworkProxy    = Text{"Check the connection and the address %s. Requests go through the proxy in %s; NO_PROXY makes exceptions.", "请检查网络连接和地址 %s。请求会经过 %s 指定的代理；可用 NO_PROXY 设置例外。"}
	HintStall           = Text{"Ask again. If this model thinks for long without sending anything, raise network.idleTimeoutMs in config.json.", "请再试一次。如果该模型会长时间思考而不发送数据，请调大 config.json 中的 network.idleTimeoutMs。"}
	HintServer          = Text{"Ask again in a few minutes; if it stays, look at the provider's status page.", "请过几分钟再试；如果一直如此，请查看服务商的状态页。"}
	HintBadStream       = Text{"Ask again. If it happens often, a proxy or gateway in between may cut the answers.", "请再试一次。如果经常出现，可能是中间的代理或网关截断了回答。"}
	HintEmpty           = Text{"Ask again, or choose another model with --model.", "请再试一次，或用 --model 换一个模型。"}
	HintConfig          = Text{"Check the base URL %s: it should end where the server's API begins, often in /v1. A login page or a proxy may stand in between. paicli doctor URL tests it.", "请检查 base URL %s：它应当指向 API 的起点，通常以 /v1 结尾。中间也可能有登录页或代理。可用 paicli doctor URL 测试。"}
	HintInternal        = Text{"This is a bug in PaiCLI. Run again with -v and report what it prints.", "这是 PaiCLI 的缺陷。请加上 -v 再运行一次，并反馈输出内容。"}
	HintKept            = Text{"The text so far is kept; nothing that the broken answer asked for was run.", "已收到的文字会保留；断开的回答所要求的操作一个也没有执行。"}
)
