package i18n

// Progress of a run, on stderr of a run without a terminal.
var (
	RunWaiting     = Text{"waiting %d s", "等待 %d 秒"}
	RunRetry       = Text{"retry %d/%d in %s: %s", "重试 %d/%d，%s 后进行：%s"}
	RunCallOK      = Text{"%s: %s", "%s：%s"}
	RunCallFailed  = Text{"%s failed: %s", "%s 失败：%s"}
	RunCallDenied  = Text{"%s denied: %s", "%s 被拒绝：%s"}
	RunCallTimeout = Text{"%s timed out: %s", "%s 超时：%s"}
	RunCallUnknown = Text{"%s was started, its result is not known: %s", "%s 已启动，结果未知：%s"}
	RunCallStopped = Text{"%s interrupted: %s", "%s 已中断：%s"}
	RunMoreLines   = Text{"+%d lines", "+%d 行"}
	RunUsage       = Text{"requests: %d, tokens: %d in (%d from cache), %d out, %s", "请求 %d 次，输入 %d token（其中缓存 %d），输出 %d，%s"}
	RunCost        = Text{"about %s", "约 %s"}
	RunMCPBroken   = Text{"the connection broke off: %s", "连接中断：%s"}
	RunNoPrice     = Text{"price not known", "价格未知"}
)

// Notes.
var (
	NoteSilentStdin  = Text{"stdin is an open pipe that sent nothing for %s; going on without it", "stdin 是打开的管道，但 %s 内没有数据；不再等待，继续运行"}
	NoteNoSessionLog = Text{"the session log cannot be written (%s); this run is kept in memory only", "无法写入会话日志（%s）；本次运行只保存在内存中"}
	NoteCallText     = Text{"the answer contains what looks like a tool call written as text; it was not run", "回答中有看似工具调用的文字；它没有被执行"}
	NoteBrokenOff    = Text{"the answer was broken off; the text so far is kept, nothing that it asked for was run", "回答中途断开；已收到的文字会保留，它所要求的操作一个也没有执行"}
	NoteLimitSteps   = Text{"the limit of %d steps was reached; the result is partial", "已达到 %d 步的上限；结果不完整"}
	NoteLimitTokens  = Text{"the token budget was used up; the result is partial", "token 预算已用完；结果不完整"}
	NoteLimitCost    = Text{"the cost limit was reached; the result is partial", "已达到费用上限；结果不完整"}
	NoteLimitTime    = Text{"the time limit was reached; the result is partial", "已达到时间上限；结果不完整"}
	NoteRunaway      = Text{"the model repeated the same steps over and over; the result is partial", "模型反复执行相同的步骤；结果不完整"}
	NoteLimitLength  = Text{"the model reached its output limit; the answer is cut off", "模型达到了输出上限；回答不完整"}
	NoteSchema       = Text{"the answer does not fit the schema that was given; it is kept as text", "回答不符合给定的 JSON schema；保留为文字"}
	NoteInterrupted  = Text{"interrupted", "已中断"}
)
