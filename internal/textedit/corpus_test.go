package textedit

import (
	"math/rand/v2"
	"strings"
	"testing"

	"maps"
	"paicli/internal/charset"
	"slices"
)

// sampleFile is a file of the corpus.
type sampleFile struct {
	name string
	data []byte
	text charset.Text
	all  []rune // characters that new text is made of
}

// corpus is files in every encoding, with every kind of line ends.
func corpus(t testing.TB) []sampleFile {
	const code = "func main() {\n\tprint(1)  \n\tprint(1)\n\n\treturn // end\n}\n    x = 1\t\n    x = 1\n\n\n12 | table\n"
	const chinese = "// 初始化计数器，读取配置文件\n标题：旧的　内容　\n他说“你好” —— ‘再见’！\n型号ＸＲ７０（停产）\n"
	var out []sampleFile
	for _, s := range []struct {
		name string
		e    charset.Encoding
		bom  bool
		text string
	}{
		{"UTF-8", charset.UTF8, false, code + chinese + "naïve pure\u0301e ﬁle ½… a−b\u00a0c “x” ｶﾞ 👩‍💻\nsay \"hi\" - ok\n"},
		{"UTF-8 with BOM", charset.UTF8, true, code + chinese},
		{"UTF-8, damaged", charset.UTF8, false, code + chinese + "broken \xe5\xb0 here\nand \xff there\n" + chinese},
		{"UTF-16LE with BOM", charset.UTF16LE, true, code + chinese + "👩 ﬁ e\u0301\n"},
		{"UTF-16BE with BOM", charset.UTF16BE, true, code + chinese + "👩 ﬁ e\u0301\n"},
		{"UTF-16LE", charset.UTF16LE, false, code + "注释 ﬁ\n"},
		{"UTF-16BE", charset.UTF16BE, false, code + "注释 ﬁ\n"},
		{"GBK", charset.GBK, false, code + chinese},
		{"GB18030", charset.GB18030, false, code + chinese + "表情😀和é字\n"},
		{"Big5", charset.Big5, false, code + "// 繁體中文設定檔案\n這個函式會傳回訂單清單，如果沒有登入\nＡＢＣ１２３\n"},
		{"Shift-JIS", charset.ShiftJIS, false, code + "// 設定ファイルの場所\nこの関数は注文一覧を返します。ｶﾞｲﾄﾞ\nＡＢＣ１２３\n"},
		{"EUC-KR", charset.EUCKR, false, code + "// 설정 파일을 읽을 수 없습니다\n사용자 이름과 비밀번호를 입력하세요\nＡＢＣ１２３\n"},
		{"Latin-1", charset.Latin1, false, code + "// Größe der Tabelle\nsaluto=Perchè no\n½ § 5\u00a0°\n"},
		{"Windows-1252", charset.Windows1252, false, code + "he said “hi” – café…\nit’s 10 € here\n"},
	} {
		all := endings(s.text)
		for _, ends := range slices.Sorted(maps.Keys(all)) { // the same order in every run
			text := all[ends]
			out = append(out, sample(t, s.name+", "+ends, s.e, s.bom, text))
		}
	}
	return out
}

func sample(t testing.TB, name string, e charset.Encoding, bom bool, text string) sampleFile {
	t.Helper()
	written := text
	if bom {
		written = "\uFEFF" + text
	}
	data, err := e.Encode(written)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	decoded, err := charset.Decode(data)
	if err != nil || decoded.Encoding != e || decoded.BOM != bom || decoded.Text != text {
		t.Fatalf("%s is taken for %s, %v", name, decoded.Encoding, err)
	}
	all := []rune(strings.ToValidUTF8(strings.NewReplacer("\r", "", "|", "").Replace(text), "") + "\n\n\n$1\\n${x}&lt;")
	return sampleFile{name: name, data: data, text: decoded, all: all}
}

// endings writes a text with other line ends.
func endings(text string) map[string]string {
	rng := rand.New(rand.NewPCG(5, 6))
	var mixed strings.Builder
	for line := range strings.Lines(text) {
		if rng.IntN(2) == 0 {
			line = strings.Replace(line, "\n", "\r\n", 1)
		}
		mixed.WriteString(line)
	}
	return map[string]string{
		"LF": text, "CRLF": toCRLF(text), "CR": strings.ReplaceAll(text, "\n", "\r"), "mixed": mixed.String(),
		"no end": strings.TrimSuffix(text, "\n"), "lone CR": strings.Replace(toCRLF(text), "main", "ma\rin", 1),
	}
}
