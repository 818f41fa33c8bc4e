package i18n

// The prompt in a terminal.
var (
	ReplHint        = Text{"Enter sends, Esc interrupts, Ctrl+C twice leaves, /help shows more", "回车发送，Esc 中断，连按两次 Ctrl+C 退出，/help 查看更多"}
	ReplHintPlain   = Text{"Enter sends, \\ at the end of a line goes on, Ctrl+C interrupts, /help shows more", "回车发送，行末的 \\ 表示续行，Ctrl+C 中断，/help 查看更多"}
	ReplWorking     = Text{"working %d s", "处理中 %d 秒"}
	ReplThinking    = Text{"thinking %d s", "思考中 %d 秒"}
	ReplStatus      = Text{"%s, Esc to interrupt", "%s，按 Esc 中断"}
	ReplStopping    = Text{"interrupting", "正在中断"}
	ReplAgain       = Text{"Ctrl+C again to leave", "再按一次 Ctrl+C 退出"}
	ReplQueued      = Text{"queued %d: %s", "排队 %d：%s"}
	ReplPasted      = Text{"[Pasted text #%d +%d lines]", "[粘贴 #%d +%d 行]"}
	ReplTurn        = Text{"%s, %d requests, %s tokens in (%s from cache), %s out, %s", "%s，%d 次请求，输入 %s token（其中缓存 %s），输出 %s，%s"}
	ReplTurnShort   = Text{"%s, %d requests", "%s，%d 次请求"}
	ReplEarlier     = Text{"%d earlier turns are not shown", "另有更早的 %d 轮未显示"}
	ReplResume      = Text{"go on with: paicli --resume %s", "恢复会话：paicli --resume %s"}
	ReplNotSent     = Text{"not sent: %s", "未发送：%s"}
	ReplLogFailed   = Text{"the session log failed: %s", "会话日志出错：%s"}
	ReplHistory     = Text{"the input history cannot be kept: %s", "无法保存输入历史：%s"}
	ReplLines       = Text{"lines %d-%d", "第 %d-%d 行"}
	ReplFiles       = Text{"%d files", "%d 个文件"}
	ReplMatches     = Text{"%d matches in %d files", "%d 处匹配，%d 个文件"}
	ReplExit        = Text{"exit code %d", "退出码 %d"}
	ReplSignal      = Text{"ended by signal %s", "被信号 %s 终止"}
	ReplPartOutside = Text{"%d rows above, %d below", "上方还有 %d 行，下方 %d 行"}
)

// The row of the mode, whose hint is ASCII in every language so that its cells are known.
const ReplModeHint = "shift+tab to cycle"

// What the working line waits for.
var (
	ReplRunning   = Text{"%s is running, %d s", "%s 运行中 %d 秒"}
	ReplReviewing = Text{"%s is being reviewed, %d s", "%s 正在审查 %d 秒"}
	ReplYourTurn  = Text{"waiting for your answer, %d s", "等待你的回答 %d 秒"}
)

// Questions whether a call may run.
var (
	AskApprove    = Text{"approve? %s: %s", "批准吗？%s：%s"}
	AskEffect     = Text{"effect: %s", "影响：%s"}
	AskReasonOf   = Text{"why: %s", "原因：%s"}
	AskFolder     = Text{"folder: %s", "文件夹：%s"}
	AskYes        = Text{"1. yes, once (y)", "1. 批准一次（y）"}
	AskAlways     = Text{"2. always: %s  (scope: this project, kept in your settings) (a)", "2. 总是批准：%s（范围：本项目，存入你的设置）（a）"}
	AskRules      = Text{"2. always: the %d rules above  (scope: this project, kept in your settings) (a)", "2. 总是批准：以上 %d 条规则（范围：本项目，存入你的设置）（a）"}
	AskRule       = Text{"rule: %s", "规则：%s"}
	AskNo         = Text{"3. no, and say why (n); e: edit the arguments", "3. 拒绝并说明理由（n）；e：修改参数"}
	AskEscNo      = Text{"; Esc: no and stop", "；Esc：拒绝并停止"}
	AskEscStop    = Text{"; Esc: stop", "；Esc：停止"}
	AskReason     = Text{"why not (Enter sends)", "拒绝的理由（回车发送）"}
	AskArgs       = Text{"arguments (Enter sends, Esc goes back)", "参数（回车发送，Esc 返回）"}
	AskArgsPlain  = Text{"new arguments in one line (empty: as they are)", "在一行内输入新参数（留空则不变）"}
	AskBadArgs    = Text{"these are no arguments, a JSON object is needed: %s", "这不是有效的参数，需要一个 JSON 对象：%s"}
	AskKeys       = Text{"press 1, 2, 3 or e", "请按 1、2、3 或 e"}
	AskKeysNoAll  = Text{"press 1, 3 or e", "请按 1、3 或 e"}
	AskAllowed    = Text{"approved", "已批准"}
	AskAllowedFor = Text{"approved, and from now on: %s", "已批准，今后也允许：%s"}
	AskRefused    = Text{"not approved", "未批准"}
	AskWhy        = Text{"not approved: %s", "未批准：%s"}
	AskMore       = Text{"and %d more such lines", "另有 %d 行也是如此"}
	AskMoreChars  = Text{"... +%d characters", "... 还有 %d 个字符"}
)

// Questions of the model, and about its plan.
var (
	AskQuestion   = Text{"question: %s", "提问：%s"}
	AskOwnWords   = Text{"%d. answer in your own words", "%d. 用自己的话回答"}
	AskWords      = Text{"answer (Enter sends)", "回答（回车发送）"}
	AskType       = Text{"type an answer, Enter sends", "输入回答，回车发送"}
	AskNumber     = Text{"press a number from 1 to %d", "请按 1 到 %d 的数字"}
	AskAnswered   = Text{"answer: %s", "回答：%s"}
	AskNobody     = Text{"not answered", "未回答"}
	AskPlan       = Text{"the plan:", "计划："}
	AskPlanAuto   = Text{"1. carry it out, changes without a question (auto)", "1. 执行，更改时不询问（auto）"}
	AskPlanAsk    = Text{"2. carry it out, ask before each change (ask)", "2. 执行，每次更改前询问（ask）"}
	AskPlanKeep   = Text{"3. keep planning, and say what to change (n)", "3. 继续计划并说明要改什么（n）"}
	AskRemark     = Text{"what to change (Enter sends)", "要改什么（回车发送）"}
	AskPlanRuns   = Text{"the plan is carried out, mode: %s", "执行计划，模式：%s"}
	AskPlanGoesOn = Text{"planning goes on", "继续计划"}
	AskPlanRemark = Text{"planning goes on: %s", "继续计划：%s"}
)

// Slash commands.
var (
	SlashHelp       = Text{"list the commands and keys", "列出命令和按键"}
	SlashModel      = Text{"show the model, or take another one from the next turn on", "显示模型，或从下一轮起换用另一个"}
	SlashMode       = Text{"show or change the permission mode: auto reviews, plan only looks, ask asks before each change", "显示或切换权限模式：auto 自动审查，plan 只看不改，ask 每次更改前询问"}
	SlashHitl       = Text{"on is the mode ask, default is auto", "on 即 ask 模式，default 即 auto 模式"}
	SlashTakes      = Text{"unknown command %s; it goes: %s", "未知命令 %s；用法：%s"}
	SlashContext    = Text{"how full the model's window is, and what the session has cost", "模型窗口的占用和会话的花费"}
	SlashSessions   = Text{"list the sessions of this project", "列出本项目的会话"}
	SlashClear      = Text{"begin a new session", "开始新的会话"}
	SlashCancel     = Text{"interrupt the running turn", "中断正在运行的一轮"}
	SlashExit       = Text{"leave", "退出"}
	SlashUnknown    = Text{"unknown command %s", "未知命令 %s"}
	SlashMeant      = Text{"unknown command %s, did you mean %s?", "未知命令 %s，你是不是想用 %s？"}
	SlashModelIs    = Text{"model: %s", "模型：%s"}
	SlashModelOther = Text{"others: %s", "其他：%s"}
	SlashModelSet   = Text{"model from the next turn on: %s", "从下一轮起使用模型：%s"}
	SlashModeIs     = Text{"mode: %s", "模式：%s"}
	SlashModeBad    = Text{"unknown mode %s; the mode stays %s", "未知模式 %s；模式仍为 %s"}
	SlashWindow     = Text{"context: %s of %s tokens (%d %%) in the last request", "上下文：最近一次请求用了 %s / %s token（%d %%）"}
	SlashNoWindow   = Text{"context: %s tokens in the last request; the model's window is not known", "上下文：最近一次请求用了 %s token；不知道模型的窗口大小"}
	SlashTotals     = Text{"session: %d requests, %s tokens in (%s from cache), %s out, %s", "会话：%d 次请求，输入 %s token（其中缓存 %s），输出 %s，%s"}
	SlashIdle       = Text{"nothing is running", "没有正在运行的任务"}
	SlashBusy       = Text{"a turn is running; Esc interrupts it", "正在运行一轮；按 Esc 中断"}
	SlashResume     = Text{"\"paicli --resume ID\" goes on with one of them", "\"paicli --resume ID\" 可继续其中一个"}
	SlashFresh      = Text{"new session %s", "新会话 %s"}
	SlashKeys       = Text{"Keys: Enter sends; Alt+Enter, Ctrl+J or \\ and Enter begin a new line; Tab completes a command; Shift+Tab changes the mode; Up and Down bring back what was sent, Up also takes back what is queued; Esc interrupts; Ctrl+C clears the line, interrupts, leaves; Ctrl+D leaves; Ctrl+Z suspends.", "按键：回车发送；Alt+回车、Ctrl+J 或 \\ 加回车换行；Tab 补全命令；Shift+Tab 切换模式；上下方向键找回发送过的内容，向上键也能取回排队的内容；Esc 中断；Ctrl+C 依次清空输入、中断、退出；Ctrl+D 退出；Ctrl+Z 挂起。"}
)
