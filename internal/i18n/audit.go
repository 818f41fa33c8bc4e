package i18n

// The audit log: `paicli audit` and /audit.
var (
	CmdAudit     = Text{"show what was called today, and check the record", "查看今天的调用记录，并校验记录"}
	CmdAuditLong = Text{"Shows the last N calls of today (20 unless said): when, whether it ran, who decided, what it was. With --verify the record of all days is checked: each line holds the hash of the one before it.", "显示今天最近的 N 次调用（默认 20）：时间、是否执行、由谁决定、内容。加 --verify 则校验所有日期的记录：每一行都含有前一行的哈希。"}
	FlagVerify   = Text{"check that no line was changed, taken out or put in", "校验没有任何一行被修改、删除或插入"}

	SlashAudit    = Text{"the last calls of today and who decided on them", "今天最近的调用以及由谁决定"}
	SlashPolicy   = Text{"what may run in this mode, and the rules", "当前模式下什么可以运行，以及规则"}
	AuditNone     = Text{"nothing was called today", "今天还没有调用"}
	AuditOff      = Text{"there is no folder for the audit log", "没有存放审计日志的文件夹"}
	AuditFailed   = Text{"the audit log cannot be written: %s", "无法写入审计日志：%s"}
	AuditIntact   = Text{"%d calls on %d days, nothing was changed", "%d 次调用，共 %d 天，没有被改动"}
	AuditEarlier  = Text{"older days are gone: what is left begins behind them", "更早的日期已不在：现有记录从其后开始"}
	AuditTorn     = Text{"%s: a line that was not finished, since its process ended", "%s：未写完的一行，写入它的进程中途结束"}
	AuditChanged  = Text{"%s: this line was changed", "%s：该行被修改过"}
	AuditOrder    = Text{"%s: the line before this one is missing or another", "%s：该行之前的一行缺失或不是原来的"}
	AuditNoEntry  = Text{"%s: this line is no record of a call", "%s：该行不是调用记录"}
	AuditWrongEnd = Text{"%s: something before this line was taken out", "%s：该行之前有内容被删除"}
)
