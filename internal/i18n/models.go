package i18n

// What `paicli models` says.
var (
	ModelsProvider = Text{"provider", "服务商"}
	ModelsModel    = Text{"model", "模型"}
	ModelsWindow   = Text{"window", "窗口"}
	ModelsPrice    = Text{"price in/out/cached per million tokens", "每百万 token 价格（输入/输出/缓存）"}
	ModelsKey      = Text{"key", "密钥"}
	ModelsKeySet   = Text{"set (%s)", "已设置（%s）"}
	ModelsKeyNone  = Text{"not set", "未设置"}
	ModelsDefault  = Text{"default", "默认"}
	ModelsChosen   = Text{"in use", "使用中"}
	ModelsAsOf     = Text{"prices as of %s", "价格截至 %s"}
	ModelsLocal    = Text{"local server at %s", "本地服务 %s"}
	ModelsNone     = Text{"the server named no models", "服务没有返回任何模型"}
	ModelsUnknown  = Text{"unknown", "未知"}
)
