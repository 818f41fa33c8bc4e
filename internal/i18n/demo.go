package i18n

// What `paicli demo` says around the real run.
var (
	DemoIntro   = Text{"A scripted model on %s drives the real loop and the real tools. No key, no network.", "由 %s 上的脚本化模型驱动真实的循环和工具。无需密钥，不访问网络。"}
	DemoProject = Text{"project: %s", "项目：%s"}
	DemoKept    = Text{"the project is kept in %s", "项目保留在 %s"}
	DemoDone    = Text{"That was the whole way: prompt, model, tools, result. To use a real model, set the key of a provider, for example %s, and run: paicli \"your question\"", "以上就是完整的流程：提问、模型、工具、结果。要使用真实的模型，请设置服务商的密钥，例如 %s，然后运行：paicli \"你的问题\""}
	DemoFailed  = Text{"the demo failed: %s", "演示失败：%s"}
)
