package i18n

// Problems in settings. The first argument of the Config texts is the place (file:line or the name
// of a variable or flag).
var (
	ConfigUnreadable  = Text{"%s: cannot be read: %s", "%s：无法读取：%s"}
	ConfigSyntax      = Text{"%s: %s", "%s：%s"}
	ConfigSyntaxIn    = Text{"%s: %s (in %s)", "%s：%s（位于 %s）"}
	ConfigUnknownKey  = Text{"%s: unknown key %s", "%s：未知的键 %s"}
	ConfigUnknownNear = Text{"%s: unknown key %s; did you mean %s?", "%s：未知的键 %s；你是不是想写 %s？"}
	ConfigBadValue    = Text{"%s: %s does not take %s; it takes %s", "%s：%s 不接受 %s；应为%s"}
	ConfigBadVar      = Text{"%s does not take %s; it takes %s", "%s 不接受 %s；应为%s"}
	ConfigEnvIgnored  = Text{"%s: %s does not count in a file; set it in the environment", "%s：%s 写在文件中不起作用；请写在环境变量中"}
	ConfigProjectKey  = Text{"%s: %s does not count in the settings of a project, which may only tighten yours", "%s：%s 写在项目的设置中不起作用；项目的设置只能让权限更严格"}
	ConfigDuplicate   = Text{"%s: %s is given twice", "%s：%s 出现了两次"}
	ConfigEnvLine     = Text{"%s: this line is no NAME=value and is left out", "%s：这一行不是 NAME=value 的形式，已忽略"}
	ConfigUntrusted   = Text{"%s is not trusted, so what it brings along has no effect: %s (\"paicli trust\" shows it and asks)", "%s 尚未被信任，它带来的以下内容不起作用：%s（用 \"paicli trust\" 查看并决定）"}
	ConfigChanged     = Text{"%s has changed since it was trusted, so what it brings along has no effect: %s (\"paicli trust\" shows it and asks)", "%s 在被信任之后有改动，它带来的以下内容不起作用：%s（用 \"paicli trust\" 查看并决定）"}
	ConfigTooMuch     = Text{"%s brings along more than can be trusted (2000 files, 64 MiB), so none of it has an effect", "%s 带来的内容太多（超过 2000 个文件或 64 MiB），无法信任，全部不起作用"}
)

// The command that shows and changes settings.
var (
	CmdConfig       = Text{"show, check and change settings", "显示、检查和修改设置"}
	CmdConfigLong   = Text{"Shows the settings that hold here and where they come from, checks the files, and changes the person's own file without touching its comments.", "显示在此生效的设置及其来源，检查各个文件，并在不动注释的情况下修改个人的设置文件。"}
	CmdConfigShow   = Text{"show the settings that hold here", "显示在此生效的设置"}
	CmdConfigPath   = Text{"print the name of the file", "输出设置文件的路径"}
	CmdConfigGet    = Text{"print one value", "输出一个值"}
	CmdConfigSet    = Text{"set one value in the file; null takes it out of effect", "在文件中设置一个值；null 使其失效"}
	CmdConfigCheck  = Text{"say what is wrong with the settings", "指出设置中的问题"}
	CmdConfigSchema = Text{"print the JSON schema of the file", "输出设置文件的 JSON Schema"}

	ConfigFine       = Text{"The settings are fine: %s", "设置没有问题：%s"}
	ConfigUnwritable = Text{"%s cannot be written: %s", "无法写入 %s：%s"}
	ConfigOver       = Text{"over %s  # %s", "覆盖 %s  # %s"}
	ConfigDefault    = Text{"default", "默认值"}
)

// What a key takes; the last argument of ConfigBadValue.
var (
	WantText      = Text{"a text", "文本"}
	WantOneOf     = Text{"one of %s", "以下之一：%s"}
	WantBool      = Text{"true or false", " true 或 false"}
	WantCount     = Text{"a whole number from 1 up", "不小于 1 的整数"}
	WantCountFrom = Text{"a whole number from %d up", "不小于 %d 的整数"}
	WantMillis    = Text{"milliseconds from 1 up", "不小于 1 的毫秒数"}
	WantList      = Text{"a list of texts", "文本列表"}
	WantRules     = Text{"a list of rules such as execute_command(git log *)", "规则列表，例如 execute_command(git log *)"}
	WantRule      = Text{"a rule such as read_file or execute_command(git log *)", "规则，例如 read_file 或 execute_command(git log *)"}
	WantObject    = Text{"an object", "对象"}
	WantURL       = Text{"an address that begins with http:// or https://", "以 http:// 或 https:// 开头的地址"}
)

// Mistakes in the JSON of a file.
var (
	SyntaxUnexpected = Text{"unexpected %s", "意外的 %s"}
	SyntaxEnd        = Text{"the file ends too early", "文件提前结束"}
	SyntaxString     = Text{"the text has no closing quote on its line", "文本在本行内没有结束引号"}
	SyntaxEscape     = Text{"the escape in this text is not valid", "文本中的转义无效"}
	SyntaxNumber     = Text{"%s is not a number", "%s 不是数字"}
	SyntaxComment    = Text{"the comment is not closed", "注释没有结束"}
	SyntaxKey        = Text{"a key in double quotes should stand here, not %s", "此处应为双引号中的键，而不是 %s"}
	SyntaxColon      = Text{"a colon should stand here, not %s", "此处应为冒号，而不是 %s"}
	SyntaxComma      = Text{"a comma or the closing bracket should stand here, not %s", "此处应为逗号或右括号，而不是 %s"}
	SyntaxDeep       = Text{"nested too deeply", "嵌套过深"}
	SyntaxMore       = Text{"%s after the end", "结尾之后还有 %s"}
)
