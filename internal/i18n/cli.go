package i18n

// The command line: what --help says.
var (
	CLIShort = Text{"A coding agent for the terminal", "终端里的编程智能体"}
	CLILong  = Text{"PaiCLI works on the project in the current folder: it reads and changes files and runs commands as a language model asks for them, and shows what it does.", "PaiCLI 在当前文件夹的项目中工作：按照语言模型的要求读取、修改文件并运行命令，并显示它做的每一步。"}

	HelpUsage    = Text{"Usage:", "用法："}
	HelpCommands = Text{"Commands:", "命令："}
	HelpFlags    = Text{"Flags:", "选项："}
	HelpGlobal   = Text{"Flags of every command:", "通用选项："}
	HelpMore     = Text{"\"%s COMMAND --help\" says more about a command.", "用 \"%s 命令 --help\" 查看某个命令的详细说明。"}
	HelpFlag     = Text{"show this help", "显示本帮助"}
	HelpVersion  = Text{"show the version", "显示版本"}
)

// Subcommands: one line in the list, and a paragraph in their own help.
var (
	CmdDemo       = Text{"see PaiCLI work, without a key and without a network", "无需密钥和网络，演示 PaiCLI 如何工作"}
	CmdDemoLong   = Text{"A scripted model on the loopback interface drives the real loop and the real tools in a fresh temporary project. Nothing is sent anywhere.", "由回环接口上的脚本化模型驱动真实的循环和工具，在一个全新的临时项目里工作。不会向外发送任何数据。"}
	CmdDoctor     = Text{"check the environment, the settings and the terminal", "检查环境、设置和终端"}
	CmdDoctorLong = Text{"Without an argument nothing goes over the network. With a provider or a URL one small request is sent to it.", "不带参数时不访问网络。给出服务商或 URL 时，会向它发送一个小请求。"}
	CmdModels     = Text{"list providers and models", "列出服务商和模型"}
	CmdModelsLong = Text{"Lists the known providers, which of them have a key here, and their models with context window and price.", "列出已知的服务商、哪些已配置密钥，以及各模型的上下文窗口和价格。"}
	CmdModelsList = Text{"list the known models", "列出已知的模型"}
	CmdRefresh    = Text{"ask the configured servers which models they offer", "向已配置的服务查询它们提供的模型"}
	CmdMCP        = Text{"work with other programs over the Model Context Protocol", "通过 Model Context Protocol 与其他程序协作"}
	CmdMCPLong    = Text{"\"paicli mcp serve\" offers the built-in tools to other programs, for example to an editor or another agent.", "\"paicli mcp serve\" 把内置工具提供给其他程序使用，例如编辑器或另一个智能体。"}
	CmdMCPServe   = Text{"offer the built-in tools on stdin and stdout; no model and no key are needed", "在 stdin 和 stdout 上提供内置工具；不需要模型和密钥"}
	CmdVersion    = Text{"print the version", "输出版本"}
	CmdCompletion = Text{"print a completion script for bash, zsh, fish or powershell", "输出 bash、zsh、fish 或 powershell 的补全脚本"}
)

// Flags.
var (
	FlagPrint        = Text{"answer one prompt and exit, without a terminal", "回答一次提问后退出，不需要终端"}
	FlagOutputFormat = Text{"text: only the answer; json: one result object; stream-json: one object a line; events: the session's own events", "text：只输出回答；json：一个结果对象；stream-json：每行一个对象；events：会话自身的事件"}
	FlagInputFormat  = Text{"text, or stream-json: one user message a line", "text，或 stream-json：每行一条用户消息"}
	FlagModel        = Text{"model, as [provider/]model", "模型，写作 [服务商/]模型"}
	FlagBaseURL      = Text{"address of an OpenAI-compatible server", "OpenAI 兼容服务的地址"}
	FlagProtocol     = Text{"protocol of the server: %s", "服务的协议：%s"}
	FlagSchema       = Text{"JSON schema that the answer must fit", "回答必须符合的 JSON schema"}
	FlagMode         = Text{"permission mode: %s", "权限模式：%s"}
	FlagAllow        = Text{"allow what these rules name, for example \"execute_command(go test *)\"; repeatable, or a list with commas", "允许这些规则所指的操作，例如 \"execute_command(go test *)\"；可重复，或用逗号分隔"}
	FlagDeny         = Text{"deny what these rules name; repeatable, or a list with commas", "拒绝这些规则所指的操作；可重复，或用逗号分隔"}
	FlagTrust        = Text{"let the settings that the project brings along count for this run", "让项目带来的设置在本次运行中起作用"}
	FlagYes          = Text{"agree without being asked", "不再询问，直接同意"}
	FlagRevoke       = Text{"take the trust back", "撤销信任"}
	FlagOrigin       = Text{"show where each value comes from", "显示每个值的来源"}
	FlagMaxSteps     = Text{"stop after this many model requests with a partial report", "达到这么多次模型请求后停止，并给出部分结果"}
	FlagTokenBudget  = Text{"stop after this many tokens with a partial report", "用完这么多 token 后停止，并给出部分结果"}
	FlagMaxCost      = Text{"stop when the known cost reaches this amount", "已知费用达到该金额后停止"}
	FlagTimeout      = Text{"stop after this time, for example 90s or 10m", "超过该时间后停止，例如 90s 或 10m"}
	FlagOutFile      = Text{"also write the final answer to this file", "同时把最终回答写入该文件"}
	FlagPartial      = Text{"with stream-json: also print pieces of messages as they arrive", "配合 stream-json：消息到达时也逐段输出"}
	FlagTools        = Text{"only these tools, separated by commas", "只提供这些工具，用逗号分隔"}
	FlagNoTools      = Text{"no tools at all", "不提供任何工具"}
	FlagChdir        = Text{"work in this folder instead of the current one", "在该文件夹中工作，而不是当前文件夹"}
	FlagLang         = Text{"language of the screen: en or zh", "界面语言：en 或 zh"}
	FlagConfigFile   = Text{"read this file instead of config.json in PAICLI_HOME", "读取该文件，而不是 PAICLI_HOME 中的 config.json"}
	FlagNoSession    = Text{"keep no session log", "不保存会话日志"}
	FlagQuiet        = Text{"no progress on stderr", "不在 stderr 上显示进度"}
	FlagVerbose      = Text{"more details on stderr; stdout stays the same", "在 stderr 上显示更多细节；stdout 不变"}
	FlagJSON         = Text{"print JSON", "输出 JSON"}
	FlagAccessible   = Text{"plain lines for screen readers", "适合读屏软件的纯文本行"}
)

// Wrong arguments. All of them end with exit code 2.
var (
	ArgUnknownFlag = Text{"unknown flag %s", "未知选项 %s"}
	ArgNeedsValue  = Text{"%s needs a value", "%s 需要一个值"}
	ArgBadValue    = Text{"%s does not take %q", "%s 不接受 %q"}
	ArgOneOf       = Text{"%s does not take %q; it takes %s", "%s 不接受 %q，可用的值：%s"}
	ArgNotPositive = Text{"%s must be greater than 0, not %s", "%s 必须大于 0，不能是 %s"}
	ArgConflict    = Text{"%s and %s exclude each other", "%s 和 %s 不能同时使用"}
	ArgTooMany     = Text{"too many arguments: %s", "参数过多：%s"}
	ArgMissing     = Text{"an argument is missing: %s", "缺少参数：%s"}
	ArgNoPrompt    = Text{"there is no prompt: give one as an argument (paicli -p \"…\") or on stdin", "没有提问内容：请作为参数（paicli -p \"…\"）或通过 stdin 给出"}
	ArgBadSchema   = Text{"--json-schema needs a JSON schema: %s", "--json-schema 需要一个 JSON schema：%s"}
	ArgNoBypass    = Text{"%s is not offered: there is no mode that switches the checks off", "不提供 %s：没有关闭检查的模式"}
	ArgUnknownTool = Text{"unknown tool %q; there are: %s", "未知工具 %q；可用的有：%s"}
	ArgDidYouMean  = Text{"did you mean %s?", "你是不是想用 %s？"}
	ArgSeeHelp     = Text{"\"%s --help\" shows what there is.", "用 \"%s --help\" 查看可用的选项。"}
)
