package i18n

// Long texts that somebody must judge.
var (
	AskLines = Text{"%s, %d lines:", "%s，共 %d 行："}
	AskFirst = Text{"%s has %d lines. Look at these first:", "%s 共有 %d 行，请先看这些："}
)
