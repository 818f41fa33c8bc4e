package i18n

// What `paicli models` says.
var (
	ModelsPrice   = Text{"price in/out/cached per million tokens", "每百万 token 价格（输入/输出/缓存）"}
	ModelsKeySet  = Text{"set (%s)", "已设置（%s）"}
	ModelsKeyNone = Text{"not set", "未设置"}
	ModelsDefault = Text{"default", "默认"}
	ModelsChosen  = Text{"in use", "使用中"}
	ModelsNone    = Text{"the server named no models", "服务没有返回任何模型"}
)
