package textedit

import "testing"

func TestOmission(t *testing.T) {
	for _, line := range []string{
		"// ... rest of code", "// ... rest of the code unchanged ...", "// rest of code", "# rest of the file remains the same",
		"... rest unchanged", "... rest unchanged ...", "/* ... existing code ... */", "// ...existing code...", "<!-- ... rest of the content ... -->",
		"{/* ... other methods ... */}", "# ... (rest of the file unchanged)", "-- remaining code is unchanged", "// (rest of methods ...)",
		"# … remaining functions omitted for brevity …", "(unchanged code ...)", "    // ... keep existing imports ...", "; rest of the file",
		"// The rest of the implementation stays the same", "[... rest of file ...]", "// ... same as before ...", "// ... previous code ...",
		"# 其余代码不变", "// ... 其他代码保持不变 ...", "// …其余部分省略…", "/* 此处省略其他方法 */", "……其余内容不变……", "// ...（省略）...", "-- 剩余部分与原文件相同",
		"// ... 现有代码 ...", "<!-- 其余内容保持不变 -->", "# 以下代码省略",
	} {
		if got, ok := Omission("a\n  "+line+"\nb\n", "a\nb\n", false); !ok {
			t.Errorf("%q is taken as text (%q)", line, got)
		}
		if _, ok := Omission("a\n"+line+"\nb\n", line+"\n", false); ok {
			t.Errorf("%q was there before and is refused", line)
		}
		if _, ok := Omission("a\n```go\n"+line+"\n```\n", "", true); ok {
			t.Errorf("%q is refused in an example", line)
		}
	}
	for _, line := range []string{
		"...", "// ...", "args...", "f(x, ...rest)", "const {a, ...rest} = props;", "// The rest of the arguments are passed to the handler.",
		"// other methods", "# existing users keep their password", "println(\"... rest of code\") // x", "// remaining time in seconds",
		"// same as above but for files", "rest of code", "the rest is unchanged", "# Rest API", "* rest of the world", "// Loading...", "# Installing other packages ...",
		"log(\"... remaining\")", "// 其他方法", "# 其他配置", "// 如果其他代码不变则跳过", "// 计算剩余时间", "加载中…", "// 等待其他线程……", "其余代码不变", "# 省略参数时使用默认值",
		"// unchanged", "…", "", "// existing code path handles this case below",
	} {
		if got, ok := Omission("a\n"+line+"\n", "", false); ok {
			t.Errorf("%q is refused", got)
		}
	}
}
