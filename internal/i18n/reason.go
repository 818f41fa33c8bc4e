package i18n

import "strings"

// reasons are why a command line is not simply run, as package effect says it, and in both languages. What
// stands for %s is at the end.
var reasons = []Text{
	{"a URL that is known only when it runs", "网址要到运行时才知道"},
	{"a command of git that is known only when it runs", "git 子命令要到运行时才知道"},
	{"a command whose name is known only when it runs", "命令名要到运行时才知道"},
	{"a comment that shells and this reading see differently", "注释的范围不明确"},
	{"a directory that depends on how it runs", "所在目录取决于运行情况"},
	{"a directory that is known only when it runs", "所在目录要到运行时才知道"},
	{"a format that checks signatures", "输出格式会检查签名"},
	{"a format that sets a variable or is not known", "输出格式会设置变量或无法确定"},
	{"a path in a directory that is not known", "路径所在的目录无法确定"},
	{"a path that is known only when it runs", "路径要到运行时才知道"},
	{"a path through a parent directory: %s", "路径经过上级目录：%s"},
	{"a pattern that may become an action", "通配符可能变成动作"},
	{"a program that may do more than print: %s", "脚本可能不只是输出：%s"},
	{"a program whose operands are not known", "程序的参数含义未知"},
	{"a redirection to what the text does not name", "重定向的目标没有写明"},
	{"a test of find that is not known", "find 的条件未知"},
	{"a test whose value is known only when it runs", "条件的值要到运行时才知道"},
	{"an argument that may become an option", "参数可能变成选项"},
	{"an operand of %s", "带有参数：%s"},
	{"an option that is not known", "选项未知"},
	{"an option that writes: %s", "选项会写文件：%s"},
	{"an option whose value is known only when it runs", "选项的值要到运行时才知道"},
	{"asks before it starts a program", "启动程序前会提问"},
	{"asks for other rights", "要求其他权限"},
	{"calls a function", "调用函数"},
	{"changes how the shell works", "改变 shell 的行为"},
	{"changes settings that can run programs", "修改可以启动程序的设置"},
	{"changes what commands mean", "改变命令的含义"},
	{"control characters in the command", "命令中有控制字符"},
	{"copies blocks", "按块复制"},
	{"declares a function", "声明函数"},
	{"deletes credentials or settings that run code: %s", "删除凭据或会执行代码的设置：%s"},
	{"deletes everything when a variable is empty", "变量为空时会删除所有内容"},
	{"deletes files that are not committed", "删除未提交的文件"},
	{"deletes outside the project: %s", "删除项目之外的内容：%s"},
	{"deletes the project", "删除整个项目"},
	{"deletes what it finds", "删除找到的内容"},
	{"deletes %s", "删除 %s"},
	{"discards changes that are not committed", "丢弃未提交的修改"},
	{"evaluates an expression", "计算表达式"},
	{"expands a variable", "展开变量"},
	{"expands a variable in a way that can run code or set it", "以可能执行代码或赋值的方式展开变量"},
	{"follows links", "跟随链接"},
	{"git in another directory", "在其他目录执行 git"},
	{"git with settings that can run programs: %s", "git 带有可以启动程序的设置：%s"},
	{"git %s", "执行 git %s"},
	{"installs packages: %s", "安装软件包：%s"},
	{"lines joined by a backslash", "用反斜杠连接的行"},
	{"not readable as a shell command", "无法解析为 shell 命令"},
	{"option %s", "选项 %s"},
	{"options that are known only when it runs", "选项要到运行时才知道"},
	{"packs files", "打包文件"},
	{"prints all variables", "输出所有变量"},
	{"prints the environment, which holds secrets", "输出环境变量，其中有机密"},
	{"reaches a host that is known only when it runs", "访问的主机要到运行时才知道"},
	{"reaches the network", "访问网络"},
	{"reaches the network: %s", "访问网络：%s"},
	{"reads credentials: %s", "读取凭据：%s"},
	{"reads outside the project: %s", "读取项目之外的内容：%s"},
	{"runs a download that nobody has seen", "运行无人看过的下载内容"},
	{"runs a file that is known only when it runs", "运行的文件要到运行时才知道"},
	{"runs code in the command line: %s", "运行命令行中的代码：%s"},
	{"runs in the background", "在后台运行"},
	{"runs its input as a program", "把输入当作程序运行"},
	{"runs text as a command", "把文本当作命令运行"},
	{"runs text that is known only when it runs", "运行的文本要到运行时才知道"},
	{"runs %s", "运行 %s"},
	{"sets a trap", "设置 trap"},
	{"sets a variable", "设置变量"},
	{"sets the clock", "设置时钟"},
	{"starts a program", "启动程序"},
	{"starts a program for each file", "对每个文件启动程序"},
	{"starts a program in another directory", "在其他目录启动程序"},
	{"too long or too deeply nested to be read", "过长或嵌套过深，无法解析"},
	{"too many programs that start one another", "程序层层启动，层数过多"},
	{"unpacks files", "解包文件"},
	{"writes credentials or settings that run code: %s", "写入凭据或会执行代码的设置：%s"},
	{"writes outside the project: %s", "写入项目之外的内容：%s"},
	{"writes what it finds", "写出找到的内容"},
	{"writes %s", "写入 %s"},
}

// reason words one of them, and leaves what it does not know as it is.
func (l Lang) reason(text string) string {
	best, about := Text{}, ""
	for _, r := range reasons {
		if r.EN == text {
			return l.Say(r)
		}
		start, ok := strings.CutSuffix(r.EN, "%s")
		if rest, found := strings.CutPrefix(text, start); ok && found && len(r.EN) > len(best.EN) {
			best, about = r, rest
		}
	}
	if best == (Text{}) {
		return text
	}
	return l.Say(best, about)
}
