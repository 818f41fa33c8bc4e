package i18n

// The checks of `paicli doctor`.
var (
	DoctorSystem    = Text{"system", "系统"}
	DoctorVersion   = Text{"version", "版本"}
	DoctorTerminal  = Text{"terminal", "终端"}
	DoctorLocale    = Text{"locale", "区域设置"}
	DoctorShell     = Text{"shell", "shell"}
	DoctorGit       = Text{"git", "git"}
	DoctorHome      = Text{"PAICLI_HOME", "PAICLI_HOME"}
	DoctorConfig    = Text{"settings", "设置"}
	DoctorKeys      = Text{"keys", "密钥"}
	DoctorModel     = Text{"model", "模型"}
	DoctorProxy     = Text{"proxy", "代理"}
	DoctorReachable = Text{"server", "服务"}
)

// States and the closing line of the report.
var (
	DoctorOK      = Text{"ok", "正常"}
	DoctorWarn    = Text{"warning", "警告"}
	DoctorFail    = Text{"failed", "失败"}
	DoctorLine    = Text{"[%s] %s: %s", "[%s] %s：%s"}
	DoctorSummary = Text{"%d ok, %d warnings, %d failed", "%d 项正常，%d 项警告，%d 项失败"}
)

// Details.
var (
	DoctorNotTTY      = Text{"not a terminal", "不是终端"}
	DoctorTTY         = Text{"%s, %d columns by %d rows, %s", "%s，%d 列 %d 行，%s"}
	DoctorNoColor     = Text{"no colours", "无颜色"}
	DoctorColors      = Text{"%s colours", "%s 种颜色"}
	DoctorTermUnset   = Text{"TERM is not set", "没有设置 TERM"}
	DoctorUTF8        = Text{"%s, UTF-8, language %s", "%s，UTF-8，界面语言 %s"}
	DoctorNotUTF8     = Text{"%s is not UTF-8, language %s", "%s 不是 UTF-8，界面语言 %s"}
	DoctorUnset       = Text{"not set", "未设置"}
	DoctorNotFound    = Text{"not found", "未找到"}
	DoctorWritable    = Text{"%s, writable", "%s，可写"}
	DoctorNotWritable = Text{"%s cannot be written: %s", "%s 不可写：%s"}
	DoctorNoConfig    = Text{"%s does not exist; defaults are in use", "%s 不存在；使用默认设置"}
	DoctorKeysFound   = Text{"found: %s", "已找到：%s"}
	DoctorNoKeys      = Text{"no key of a known provider is set", "没有设置任何已知服务商的密钥"}
	DoctorNoModel     = Text{"none can be chosen", "无法选定模型"}
	DoctorModelAt     = Text{"%s at %s", "%s，地址 %s"}
	DoctorNoProxy     = Text{"none", "无"}
	DoctorAnswered    = Text{"%s answered in %s", "%s 在 %s 内响应"}
	DoctorProbeFailed = Text{"%s failed: %s", "%s 失败：%s"}
)

// What to do next.
var (
	HintLine         = Text{"what to do: %s", "解决办法：%s"}
	HintTermUnset    = Text{"Set TERM, for example to xterm-256color.", "请设置 TERM，例如 xterm-256color。"}
	HintNotUTF8      = Text{"Set LANG to a UTF-8 locale such as C.UTF-8; otherwise only ASCII signs are drawn.", "请把 LANG 设为 UTF-8 区域设置，例如 C.UTF-8；否则只绘制 ASCII 符号。"}
	HintNoShell      = Text{"Install bash, or make sure that sh is in PATH: commands need a shell.", "请安装 bash，或确保 PATH 中有 sh：运行命令需要 shell。"}
	HintNoGit        = Text{"Install git: the agent uses it to see what changed.", "请安装 git：智能体用它查看改动。"}
	HintHome         = Text{"Make the folder writable, or point PAICLI_HOME to another one. Without it nothing is saved.", "请让该文件夹可写，或用 PAICLI_HOME 指向别处。否则什么都不会保存。"}
	HintConfigFile   = Text{"Correct the file at the line named.", "请修改文件中指出的那一行。"}
	HintNoKeys       = Text{"Set the key of a provider or PAICLI_BASE_URL; \"paicli models\" lists the variables.", "请设置服务商的密钥或 PAICLI_BASE_URL；\"paicli models\" 会列出变量名。"}
	HintConfigReview = Text{"Look at the warnings; nothing is stopped by them.", "请查看这些警告；它们不会阻止运行。"}
)
