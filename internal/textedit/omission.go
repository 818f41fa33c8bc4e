package textedit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Omission finds a line of a new text that stands for text that was left out, such as
// "// ... rest of the code unchanged" or "# 其余代码不变": written to a file, it would replace what it
// speaks of. A line that the old text has as well is meant as it is. fences says that lines between
// ``` are examples, as in Markdown.
func Omission(fresh, old string, fences bool) (string, bool) {
	inside := false
	for line := range strings.Lines(fresh) {
		line = strings.TrimSpace(line)
		if fences && strings.HasPrefix(line, "```") {
			inside = !inside
		}
		if !inside && isOmission(line) && !hasLine(old, line) {
			return line, true
		}
	}
	return "", false
}

func hasLine(text, wanted string) bool {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == wanted {
			return true
		}
	}
	return false
}

// maxOmission bounds such a line, in bytes; what is longer says something.
const maxOmission = 120

func isOmission(line string) bool {
	if len(line) > maxOmission || len(line) < 4 {
		return false
	}
	body, comment := uncommented(line)
	bare := strings.TrimFunc(body, func(r rune) bool { return r == '.' || r == '…' || r == '。' || unicode.IsSpace(r) })
	bare = strings.TrimSpace(strings.Trim(bare, "()[]{}<>（）【】"))
	dots := strings.Contains(body, "...") || strings.Contains(body, "…")
	if bare == "" || !dots && !comment {
		return false
	}
	if strings.ContainsFunc(bare, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return omissionInChinese(bare, dots)
	}
	return omissionInEnglish(bare, dots)
}

// uncommented takes the marks of a comment off a line and reports whether there were any.
func uncommented(line string) (string, bool) {
	body := line
	for _, open := range []string{"{/*", "<!--", "//", "/*", "--", "#", "*", ";", "%", "'''", `"""`} {
		if rest, ok := strings.CutPrefix(body, open); ok {
			body = strings.TrimLeft(rest, "/#*-;% ")
			break
		}
	}
	found := body != line
	for _, end := range []string{"*/}", "-->", "*/", "'''", `"""`} {
		body = strings.TrimSpace(strings.TrimSuffix(body, end))
	}
	return strings.TrimSpace(body), found
}

// omissionInEnglish knows sentences that are made of nothing but the words of an omission. Without
// dots the sentence must be plainer: "the rest of the file", or that something is left as it is.
func omissionInEnglish(body string, dots bool) bool {
	words := strings.FieldsFunc(strings.ToLower(body), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if len(words) == 0 || len(words) > 12 {
		return false
	}
	seen := make(map[string]bool)
	for _, w := range words {
		if !contains(omissionWords, w) {
			return false
		}
		seen[w] = true
	}
	any := func(set string) bool {
		for w := range strings.FieldsSeq(set) {
			if seen[w] {
				return true
			}
		}
		return false
	}
	left := any("rest remaining remainder existing other others previous original same unchanged unmodified untouched omitted truncated snipped brevity")
	thing := any("code file content contents implementation function functions method methods class body script document logic")
	still := any("unchanged unmodified untouched omitted truncated snipped same brevity stay stays remain remains")
	if dots {
		return left && (thing || still || any("rest remaining remainder existing") || len(words) > 1)
	}
	return any("rest remainder") && (thing || still) || left && thing && still
}

// omissionWords are the words that omissions are made of.
const omissionWords = " a above all and any are as before below body brevity bytes changes class code config configuration " +
	"content contents continues document else etc everything existing exactly fields file files following for from function functions goes " +
	"here implementation imports in is it keep kept left lines logic method methods module no not of omitted original other others " +
	"part parts previous previously properties remain remainder remaining remains rest same script section sections snipped stay " +
	"stays stuff test tests the this truncated unchanged unmodified untouched with your "

func contains(words, w string) bool { return strings.Contains(words, " "+w+" ") }

// omissionInChinese knows short phrases that name what is left over and say that it is left out or
// stays. With dots either is enough when nothing but such words is there.
func omissionInChinese(body string, dots bool) bool {
	if utf8.RuneCountInString(body) > 24 {
		return false
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(body, w) {
				return true
			}
		}
		return false
	}
	left := has("其余", "其他", "其它", "剩余", "剩下", "余下", "后续", "以下", "此处", "这里", "原有", "现有", "已有", "之前", "上面", "前面", "中间")
	thing := has("代码", "内容", "部分", "逻辑", "方法", "函数", "实现", "文件")
	still := has("不变", "省略", "相同", "一致", "同上", "未修改", "未改动", "略去", "（略）", "从略")
	if dots {
		return left && (thing || still) || thing && still || strings.Trim(body, "此处以下") == "省略" || body == "略" || body == "同上"
	}
	return still && (left || thing) && !has("如果", "不能", "不要", "禁止", "可以")
}
