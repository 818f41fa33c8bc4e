package i18n

// A run that cannot begin because no model could be chosen.
var (
	SetupNoProvider      = Text{"no model is set up", "还没有配置模型"}
	SetupNoKey           = Text{"there is no key for %s: %s is not set", "没有 %s 的密钥：未设置 %s"}
	SetupKeyHint         = Text{"Keys are made at %s; then: export %s=…", "可在 %s 创建密钥，然后执行：export %s=…"}
	SetupNoModel         = Text{"no model is named for %s", "没有为 %s 指定模型"}
	SetupModelHint       = Text{"Name one with --model or PAICLI_MODEL; \"paicli models refresh\" asks the server for its list.", "请用 --model 或 PAICLI_MODEL 指定；\"paicli models refresh\" 可查询服务提供的模型。"}
	SetupUnknownProvider = Text{"unknown provider %q", "未知的服务商 %q"}
	SetupProvidersHint   = Text{"\"paicli models\" lists the known ones.", "\"paicli models\" 会列出已知的服务商。"}
	SetupLocal           = Text{"%s answers on this machine: paicli --base-url %s --model %s \"…\"", "本机的 %s 可用：paicli --base-url %s --model %s \"…\""}
	SetupNoHome          = Text{"there is no home folder; PAICLI_HOME can name one", "没有主目录；可用 PAICLI_HOME 指定"}
	// The argument names variables of some known providers.
	SetupWays = Text{`Connect one of these:
  a provider        export DEEPSEEK_API_KEY=…   (or %s)
  any server        export PAICLI_BASE_URL=https://…/v1 PAICLI_API_KEY=… PAICLI_MODEL=…
  a local server    start Ollama, llama.cpp, vLLM, SGLang or LM Studio, then ask again
To see PaiCLI work without any of this: paicli demo`, `任选一种方式接入：
  服务商      export DEEPSEEK_API_KEY=…（或 %s）
  任意服务    export PAICLI_BASE_URL=https://…/v1 PAICLI_API_KEY=… PAICLI_MODEL=…
  本地服务    启动 Ollama、llama.cpp、vLLM、SGLang 或 LM Studio，然后再试
什么都不配置也能看到效果：paicli demo`}
)

// Further wrong arguments.
var (
	ArgStdin     = Text{"stdin cannot be read: %s", "无法读取 stdin：%s"}
	ArgStdinSize = Text{"stdin holds more than %d MiB; put it into a file of the project and name the file", "stdin 超过 %d MiB；请把内容放进项目文件并在提问中给出文件名"}
	ArgBadFolder = Text{"the folder %s cannot be used: %s", "无法使用文件夹 %s：%s"}
	ArgNotFolder = Text{"%s is not a folder", "%s 不是文件夹"}
	ArgOther     = Text{"the arguments cannot be read: %s", "无法解析参数：%s"}
	ArgWriteFile = Text{"%s cannot be written: %s", "无法写入 %s：%s"}
)
