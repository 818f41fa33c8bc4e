package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// legacy recognises the encodings that are older than Unicode. Every candidate reads the sample by
// its own structure and weighs what it reads: characters that are frequent in texts of its language
// count in full, those that nobody writes next to nothing. The shares of the right encoding are near
// 1; the others' are far below, since each has its frequent characters in other places. Only Korean
// lies in the midst of the Chinese ones, so the very commonest characters count on top.
//
// GBK is what most files of this program's users are in, so another candidate must be clearly
// better.
func legacy(sample []byte) (Guess, error) {
	for _, c := range sample {
		if c < ' ' && !isText(rune(c)) {
			return Guess{}, ErrUnknown
		}
	}
	best, second := verdict{}, verdict{}
	for _, c := range candidates() {
		v := c.judge(sample)
		if c.encoding == GBK {
			v.score += chineseLead
		}
		if v.score > best.score {
			best, second = v, best
		} else if v.score > second.score {
			second = v
		}
	}
	if best.score < leastScore || isolated(sample) {
		return western(sample)
	}
	doubtful := best.score < certainScore || best.score-second.score < certainLead || best.chars < fewChars
	return Guess{Encoding: best.encoding, Doubtful: doubtful}, nil
}

// Bounds on scores; they were found by the samples of the tests, cut at random.
const (
	chineseLead  = 0.1  // by how much GBK is preferred
	leastScore   = 0.5  // below it the sample is in none of the candidates
	certainScore = 0.75 // above it the guess may be certain
	certainLead  = 0.1  // over the second best
	fewChars     = 2    // with fewer characters nothing is certain
	badShare     = 50   // one in so many characters may be damaged
	maxCommon    = 2000 // characters that are looked up among the commonest
	commonWeight = 0.5
)

// candidate is an encoding of one or two bytes a character (four in GB18030).
type candidate struct {
	encoding Encoding
	size     func(p []byte) int     // of the character that p begins with, 0 when it is none
	weight   func(p []byte) float64 // how usual a character is, from 0 to 1
	common   string                 // the commonest characters of the language
}

// verdict is what a candidate makes of a sample.
type verdict struct {
	encoding Encoding
	chars    int
	score    float64
}

func candidates() []candidate {
	return []candidate{
		{GBK, sizeGB, weightGB, "的一是不了在人有我他这中大来上个国和也子时道说为就要到出可以会你对生能而得着下自之年过后作里用文件数设置配据能多然于成发动同工起小定行所经部化面法新前已通全间样因使点想量返回值类型参错误请注释登录户名码变不方开如果没此处重启常将被与或"},
		{Big5, sizeBig5, weightBig5, "的一是不了在人有我他這中大來上個國和也子時道說為就要到出可以會你對生能而得著下自之年過後作裡用文件數設定檔據能多然於成發動同工起小行所經部化面法新前已通全間樣因使點想量返回值類型參錯誤請註釋登入戶名碼變方開如果沒此處重啟常將被與或"},
		{ShiftJIS, sizeSJIS, weightSJIS, "のにはをたがでてとしれさいるなかくすもこらりあそんまっ、。ーンストルリイアクタ"},
		{EUCKR, sizeKR, weightKR, "이다는을가에의한하고로지사은기를도인어리해아그정부자있시대서나일것들니보수세요안면으었았라게만스제동여구상주과전장원성국오우미비조위공신유소선경연방무중바계실학물관생적식화러드마까야데르트네없같더던려내모음습입용못후각당단회표문외출않예할함됩오류"},
	}
}

// judge reads a sample the candidate's way.
func (c candidate) judge(sample []byte) verdict {
	v := verdict{encoding: c.encoding}
	bad, sum, frequent, looked := 0, 0.0, 0, 0
	four := false
	decoder := c.encoding.codec().NewDecoder()
	for i := 0; i < len(sample); {
		if sample[i] < utf8.RuneSelf {
			i++
			continue
		}
		n := c.size(sample[i:])
		if n == 0 {
			if len(sample)-i >= 4 || len(sample) < sampleSize {
				bad++ // not merely cut by the end of the sample
			}
			i++
			continue
		}
		char := sample[i : i+n]
		i += n
		v.chars++
		sum += c.weight(char)
		four = four || n == 4
		if looked < maxCommon {
			looked++
			decoder.Reset()
			if text, err := decoder.Bytes(char); err == nil && strings.Contains(c.common, string(text)) {
				frequent++
			}
		}
	}
	if v.chars == 0 || badShare*bad > v.chars {
		return verdict{}
	}
	if four {
		v.encoding = GB18030
	}
	v.score = sum/float64(v.chars) + commonWeight*float64(frequent)/float64(looked)
	return v
}

// isolated reports whether most bytes above ASCII stand alone between letters, as accents of
// European languages do; characters of two bytes come in runs.
func isolated(sample []byte) bool {
	alone, all := 0, 0
	plain := func(i int) bool { return i < 0 || i >= len(sample) || sample[i] < utf8.RuneSelf }
	for i, c := range sample {
		if c < utf8.RuneSelf {
			continue
		}
		all++
		if plain(i-1) && plain(i-2) && plain(i+1) && plain(i+2) {
			alone++
		}
	}
	return 2*alone > all
}

// western accepts a sample as Latin-1 or its superset when it looks like a European language. There
// is no structure to confirm it, so it is always doubtful.
func western(sample []byte) (Guess, error) {
	const undefined = "\x81\x8d\x8f\x90\x9d" // in Windows-1252
	g := Guess{Encoding: Latin1, Doubtful: true}
	letters, high := 0, 0
	for _, c := range sample {
		switch {
		case c >= 0xA0:
			high++
		case c >= utf8.RuneSelf:
			high++
			g.Encoding = Windows1252
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		}
	}
	if containsByte(sample, undefined) || high > letters {
		return Guess{}, ErrUnknown
	}
	return g, nil
}

func containsByte(p []byte, set string) bool {
	for i := range len(set) {
		if bytes.IndexByte(p, set[i]) >= 0 {
			return true
		}
	}
	return false
}
