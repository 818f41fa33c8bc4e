package i18n

// Sessions: the subcommand, and what cannot be resumed.
var (
	CmdSessions       = Text{"list, show, export and remove sessions", "列出、查看、导出和删除会话"}
	CmdSessionsLong   = Text{"Every run is kept as a session of its project. \"paicli -c\" goes on with the last one, \"paicli --resume ID\" with any.", "每次运行都保存为所在项目的一个会话。\"paicli -c\" 继续最近的会话，\"paicli --resume ID\" 继续指定的会话。"}
	CmdSessionsList   = Text{"list the sessions of this project", "列出本项目的会话"}
	CmdSessionsShow   = Text{"show a session", "查看会话"}
	CmdSessionsExport = Text{"write a session as Markdown or JSON", "把会话导出为 Markdown 或 JSON"}
	CmdSessionsRm     = Text{"remove sessions", "删除会话"}
	FlagContinue      = Text{"go on with the last session of this folder", "继续本文件夹最近的会话"}
	FlagResume        = Text{"go on with this session", "继续指定的会话"}
	FlagFork          = Text{"go on with a copy of this session", "从指定会话的副本继续"}
	FlagAll           = Text{"of all projects", "包括所有项目"}
	FlagFormat        = Text{"md or json", "md 或 json"}

	SessionAbout     = Text{"session %s, %s, %s", "会话 %s，%s，%s"}
	SessionYou       = Text{"You", "你"}
	SessionModel     = Text{"PaiCLI", "PaiCLI"}
	SessionTurnEnded = Text{"turn ended: %s %s", "本轮结束：%s %s"}
	SessionNone      = Text{"there is no session of this folder yet", "本文件夹还没有会话"}
	SessionNoneHint  = Text{"\"paicli sessions list --all\" lists those of all projects.", "\"paicli sessions list --all\" 会列出所有项目的会话。"}
	SessionNotFound  = Text{"session not found: %s", "未找到会话：%s"}
	SessionListHint  = Text{"\"paicli sessions list\" lists what there is.", "\"paicli sessions list\" 会列出现有的会话。"}
	SessionInUse     = Text{"session %s is in use by another process", "会话 %s 正被另一个进程使用"}
	SessionInUseHint = Text{"End it there, or go on with a copy: paicli --fork %s", "请先在那边结束，或从副本继续：paicli --fork %s"}
	SessionVersion   = Text{"session %s has format version %d; this program knows version 1", "会话 %s 的格式版本是 %d；本程序只认识版本 1"}
	SessionVersHint  = Text{"It was written by a newer PaiCLI: update this one.", "它由更新的 PaiCLI 写入：请升级本程序。"}
	SessionForeign   = Text{"%s is not a session", "%s 不是会话"}
	SessionDamaged   = Text{"%d records of the session log are damaged and were left out", "会话日志中有 %d 条记录已损坏，已跳过"}
	SessionCut       = Text{"the end of the session log was cut off: %d bytes of an unfinished record", "会话日志末尾有未写完的记录，已截去 %d 字节"}
	SessionRepaired  = Text{"%d calls of the last run had no result; none was run again", "上次运行有 %d 个调用没有结果；没有重新执行"}
	SessionRemoved   = Text{"removed: %s", "已删除：%s"}

	NoPrice     = Text{"the price of %s is not known, so that a cost limit cannot be watched", "不知道 %s 的价格，无法监控费用上限"}
	NoPriceHint = Text{"Use --token-budget instead.", "请改用 --token-budget。"}

	InputType    = Text{"unknown type %q", "未知的类型 %q"}
	InputControl = Text{"unknown control request %q", "未知的控制请求 %q"}
	InputBlock   = Text{"unknown content block %q", "未知的内容块 %q"}
	ArgInput     = Text{"stdin cannot be read as stream-json: %s", "stdin 不是有效的 stream-json：%s"}
)
