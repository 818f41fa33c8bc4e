package i18n

// What `paicli demo` says around the real run, and what its scripted model says in it.
var (
	DemoIntro   = Text{"The model of this demo is scripted: it plays five fixed replies over real HTTP on %s.\nThe loop, the tools and the session log are the real ones. No key, no network.", "演示中的模型是脚本：它在 %s 上通过真实的 HTTP 播放五个固定的回复。\n循环、工具和会话日志都是真实的。无需密钥，不访问网络。"}
	DemoProject = Text{"project      %s", "项目        %s"}
	DemoLog     = Text{"session log  %s", "会话日志    %s"}
	DemoRemove  = Text{"remove both  rm -r %s", "全部删除    rm -r %s"}
	DemoPrompt  = Text{"Change the greeting in hello.sh from \"Hello World\" to \"Hello PaiCLI\" and show that it works.", "把 hello.sh 里的问候语从 \"Hello World\" 改成 \"Hello PaiCLI\"，并证明它能运行。"}
	DemoLook    = Text{"I will look at the script first.", "我先看一下脚本。"}
	DemoEdit    = Text{"One line to change.", "只需要改一行。"}
	DemoRun     = Text{"Now I run it.", "现在运行它。"}
	DemoDone    = Text{"Done: hello.sh:2 now greets with \"Hello PaiCLI\". Checked by running it.", "完成：hello.sh:2 的问候语现在是 \"Hello PaiCLI\"，已运行验证。"}
	DemoNotDone = Text{"Not done: running hello.sh did not print \"Hello PaiCLI\".", "未完成：运行 hello.sh 没有输出 \"Hello PaiCLI\"。"}
	DemoFailed  = Text{"the demo failed: hello.sh was not changed as asked; the session log tells what happened", "演示失败：hello.sh 没有按要求修改；详情见会话日志"}
	DemoConnect = Text{`Connect a real model, then ask in any project:
  a provider      export DEEPSEEK_API_KEY=…   (or GLM_API_KEY, KIMI_API_KEY, DASHSCOPE_API_KEY …)
  any server      export PAICLI_BASE_URL=https://…/v1 PAICLI_API_KEY=… PAICLI_MODEL=…
  a local server  paicli --base-url http://127.0.0.1:11434/v1 --model qwen3-coder -p "…"
  then            paicli -p "your task"`, `接入真实的模型，然后在任意项目中提问：
  服务商      export DEEPSEEK_API_KEY=…（或 GLM_API_KEY、KIMI_API_KEY、DASHSCOPE_API_KEY 等）
  任意服务    export PAICLI_BASE_URL=https://…/v1 PAICLI_API_KEY=… PAICLI_MODEL=…
  本地服务    paicli --base-url http://127.0.0.1:11434/v1 --model qwen3-coder -p "…"
  然后        paicli -p "你的任务"`}
)
