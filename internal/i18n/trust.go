package i18n

// Trust in what a project brings along.
var (
	CmdTrust     = Text{"show what a project brings along and let it count", "显示项目带来的内容，并让它们起作用"}
	CmdTrustLong = Text{"Settings, variables, MCP servers, hooks, skills, commands and agents that came with a project have no effect until you have seen them and agreed. The consent holds for just this content: a change asks again.", "项目带来的设置、变量、MCP 服务、钩子、技能、命令和智能体，在你看过并同意之前不起作用。同意只针对当前的内容：一旦改变就会重新询问。"}

	TrustNothing  = Text{"%s brings nothing along that needs your trust.", "%s 没有带来任何需要信任的内容。"}
	TrustAlready  = Text{"It is trusted, and nothing has changed since.", "它已被信任，之后没有改动。"}
	TrustBrings   = Text{"%s brings along:", "%s 带来以下内容："}
	TrustItem     = Text{"%s (%s)", "%s（%s）"}
	TrustStarts   = Text{"%s starts: %s", "%s 启动：%s"}
	TrustConnects = Text{"%s connects to: %s", "%s 连接：%s"}
	TrustSets     = Text{"with the variables: %s", "设置的变量：%s"}
	TrustTooMuch  = Text{"This is more than can be trusted.", "内容太多，无法信任。"}
	TrustAsk      = Text{"Trust this content, until it changes? [y/N] ", "信任这些内容，直到它们改变？[y/N] "}
	TrustDialog   = Text{"1 trust · 2 not now ", "1 信任 · 2 暂不 "}
	TrustNobody   = Text{"nothing was trusted: there is no terminal to ask in", "没有信任任何内容：没有可以询问的终端"}
	TrustYesHint  = Text{"\"paicli trust --yes\" agrees to what is shown above.", "用 \"paicli trust --yes\" 同意上面显示的内容。"}
	TrustDone     = Text{"Trusted. \"paicli trust --revoke\" takes it back.", "已信任。用 \"paicli trust --revoke\" 撤销。"}
	TrustNotNow   = Text{"Not trusted. Nothing of it has an effect.", "未信任。这些内容都不起作用。"}
	TrustRevoked  = Text{"%s is not trusted any more.", "%s 不再被信任。"}
)

// What a file of a project is for.
var (
	TrustSettings = Text{"settings", "设置"}
	TrustEnv      = Text{"variables", "变量"}
	TrustMCP      = Text{"MCP servers", "MCP 服务"}
	TrustSkill    = Text{"skill", "技能"}
	TrustCommand  = Text{"command", "命令"}
	TrustAgent    = Text{"agent", "智能体"}
)
