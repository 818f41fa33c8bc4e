package i18n

import "strings"

// The command `paicli policy`.
var (
	CmdPolicy      = Text{"ask what may run, and show the rules", "查询什么可以运行，并显示规则"}
	CmdPolicyLong  = Text{"Says what the permission policy makes of a command, a path, an address or a tool call. Nothing is run.", "说明权限策略如何判定一条命令、一个路径、一个网址或一次工具调用。什么都不会被执行。"}
	CmdPolicyCheck = Text{"say what would be allowed, reviewed, asked or denied", "判定会被放行、审查、询问还是拒绝"}
	CmdPolicyShow  = Text{"show mode, rules and what is protected", "显示模式、规则和受保护的内容"}
	FlagCommand    = Text{"a command line", "一条命令"}
	FlagPath       = Text{"a file or folder", "一个文件或文件夹"}
	FlagWrite      = Text{"with --path: writing instead of reading", "配合 --path：写入而不是读取"}
	FlagURL        = Text{"an address", "一个网址"}
	FlagTool       = Text{"a tool, with --args", "一个工具，配合 --args"}
	FlagArgs       = Text{"with --tool: its arguments as JSON", "配合 --tool：JSON 格式的参数"}
	PolicyOneOf    = Text{"give exactly one of --command, --path, --url and --tool", "--command、--path、--url、--tool 中必须且只能给出一个"}
)

// The report of `paicli policy check`.
var (
	PolicyVerdict  = Text{"verdict: %s", "判定：%s"}
	PolicyReason   = Text{"reason:  %s", "原因：%s"}
	PolicyRule     = Text{"rule:    %s", "规则：%s"}
	PolicyEffect   = Text{"effect:  %s", "影响：%s"}
	PolicyCommands = Text{"commands:", "命令："}
)

// The report of `paicli policy show`.
var (
	PolicyMode    = Text{"mode: %s (%s)", "模式：%s（%s）"}
	PolicyModes   = Text{"auto  files are changed, a model reviews commands that do more than look\nplan  only looking\nask   whatever does more than look is asked", "auto  直接修改文件，不只是查看的命令由模型审查\nplan  只查看\nask   不只是查看的操作都会询问"}
	PolicyDeny    = Text{"never runs, in any mode and whatever the rules say:", "在任何模式下、无论规则如何都不会运行："}
	PolicyAsk     = Text{"always a person, unless a rule names it in full:", "总是由人决定，除非有规则写出全文："}
	PolicyAsked   = Text{"reading what holds credentials: .env files, private keys, ~/.ssh and the like\nchanging what other programs run or obey: .git, .paicli, shell start-up files, tasks of editors", "读取存有凭据的内容：.env 文件、私钥、~/.ssh 等\n修改其他程序会执行或遵从的内容：.git、.paicli、shell 启动文件、编辑器任务"}
	PolicyRules   = Text{"rules that %s:", "规则（%s）："}
	PolicyNoRules = Text{"no rules", "没有规则"}
)

// What no mode permits, by code.
var (
	FloorPrivilege    = Text{"asks for administrator rights", "要求管理员权限"}
	FloorDeleteTree   = Text{"deletes a system directory, the home directory or a parent of the project", "删除系统目录、主目录或项目的上级目录"}
	FloorOpenTree     = Text{"changes the permissions of a system directory or the home directory", "修改系统目录或主目录的权限"}
	FloorFormatDisk   = Text{"makes a file system on a disk", "在磁盘上创建文件系统"}
	FloorWriteDevice  = Text{"writes to a disk device", "写入磁盘设备"}
	FloorForkBomb     = Text{"starts itself without end", "无止境地启动自身"}
	FloorRemoteScript = Text{"runs a download that nobody has seen", "运行无人看过的下载内容"}
	FloorSearchDisk   = Text{"searches the whole disk or home directory", "搜索整个磁盘或主目录"}
	FloorPowerOff     = Text{"switches the machine off or restarts it", "关闭或重启机器"}
)

// Why a person is asked, or why something is refused. The argument is what it is about.
var (
	WhyRule      = Text{"the rule %s says so", "规则 %s 如此规定"}
	WhyAskMode   = Text{"in ask mode every change is asked", "ask 模式下每次修改都会询问"}
	WhyPlanMode  = Text{"plan mode only looks", "plan 模式只允许查看"}
	WhyLooks     = Text{"it only looks", "只是查看"}
	WhyEdits     = Text{"files of the project are changed without a question", "直接修改项目中的文件"}
	WhySecret    = Text{"%s may hold credentials", "%s 可能存有凭据"}
	WhyProtected = Text{"%s is something that other programs run or obey", "%s 会被其他程序执行或遵从"}
	WhyOutside   = Text{"%s is outside the project", "%s 在项目之外（越界）"}
	WhyCommand   = Text{"it does more than look: %s", "不只是查看：%s"}
	WhyMore      = Text{"it does more than look", "不只是查看"}
	WhyUnknown   = Text{"what the tool does is not known here", "无法知道该工具做什么"}
	WhyReviewed  = Text{"what the tool does is not known here, and the review did not let it pass: %s", "无法知道该工具做什么，自动审查未放行：%s"}
	WhyBlocked   = Text{"the review stopped %s calls in a row: %s", "自动审查连续 %s 次未放行：%s"}
	WhyNoWeb     = Text{"your words rule the network out", "你的要求排除了联网"}
	WhyScheme    = Text{"%s is no http or https address", "%s 不是 http 或 https 地址"}
	WhyLocal     = Text{"%s is on this machine or in a private network", "%s 在本机或内网"}
	WhyPrivate   = Text{"%s belongs to the agent's own state", "%s 属于程序自身的状态"}
	WhyReadOnly  = Text{"files in %s are not changed by file tools", "文件工具不会修改 %s 中的文件"}
)

// Why words why a call is not simply run, from the code of the permission policy and, behind a colon,
// what it is about. A text without a known code is shown as it is.
func (l Lang) Why(text string) string {
	code, about, _ := strings.Cut(text, ": ")
	switch code {
	case "blocked":
		count, reason, _ := strings.Cut(about, ": ")
		return l.Say(WhyBlocked, count, reason)
	case "looks":
		return l.Say(WhyLooks)
	case "edits":
		return l.Say(WhyEdits)
	case "mode":
		if about == "plan" {
			return l.Say(WhyPlanMode)
		}
		return l.Say(WhyAskMode)
	case "WEB_FORBIDDEN":
		return l.Say(WhyNoWeb)
	case "command":
		if about == "" {
			return l.Say(WhyMore)
		}
		return l.Say(WhyCommand, l.reason(about))
	case "unknown":
		if about == "" {
			return l.Say(WhyUnknown)
		}
		return l.Say(WhyReviewed, about)
	}
	if floor, ok := floors()[code]; ok {
		return l.Say(floor)
	}
	with, ok := map[string]Text{
		"rule": WhyRule, "secret": WhySecret, "protected": WhyProtected, "outside": WhyOutside,
		"scheme": WhyScheme, "local": WhyLocal, "private": WhyPrivate, "read_only": WhyReadOnly,
	}[code]
	if !ok || about == "" {
		return text
	}
	return l.Say(with, about)
}

func floors() map[string]Text {
	return map[string]Text{
		"privilege": FloorPrivilege, "delete_tree": FloorDeleteTree, "open_tree": FloorOpenTree, "format_disk": FloorFormatDisk,
		"write_device": FloorWriteDevice, "fork_bomb": FloorForkBomb, "remote_script": FloorRemoteScript,
		"search_disk": FloorSearchDisk, "power_off": FloorPowerOff,
	}
}

// Floors is what no mode permits, in words.
func (l Lang) Floors() []string {
	var out []string
	for _, t := range []Text{
		FloorPrivilege, FloorDeleteTree, FloorOpenTree, FloorFormatDisk, FloorWriteDevice, FloorForkBomb, FloorRemoteScript, FloorSearchDisk, FloorPowerOff,
	} {
		out = append(out, l.Say(t))
	}
	return out
}
