package charset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

func encoded(t testing.TB, e Encoding, text string) []byte {
	t.Helper()
	data, err := e.Encode(text)
	if err != nil {
		t.Fatalf("%s of %q: %v", e, text, err)
	}
	return data
}

// TestSamples: whole samples, alone and as a comment in source code, are known and come back byte
// for byte.
func TestSamples(t *testing.T) {
	for e, texts := range samples() {
		for _, text := range texts {
			for _, around := range []string{"%s", "int main() {\n\t// %s\n\treturn 0; /* ok */\n}\n"} {
				want := strings.Replace(around, "%s", text, 1)
				data := encoded(t, e, want)
				got, err := Decode(data)
				if err != nil || got.Encoding != e || got.Text != want {
					t.Errorf("%s %.30q: %s %.30q, doubtful %v, %v", e, want, got.Encoding, got.Text, got.Doubtful, err)
					continue
				}
				if back, err := got.Encode(got.Text); err != nil || !bytes.Equal(back, data) {
					t.Errorf("%s %q does not come back: %v", e, want, err)
				}
			}
		}
	}
}

// TestPieces: pieces of samples, cut at random, are known; the shorter the piece, the more often it
// may be doubtful, but a certain guess is right.
func TestPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, e := range []Encoding{GBK, Big5, ShiftJIS, EUCKR} {
		runes := []rune(strings.Join(samples()[e], ""))
		for _, size := range []int{4, 8, 16, 40} {
			wrong, certain, n := 0, 0, 500
			for range n {
				from := rng.IntN(len(runes) - size)
				text := string(runes[from : from+size])
				got, err := Decode(encoded(t, e, text))
				if err != nil || got.Encoding != e {
					wrong++
					if err == nil && !got.Doubtful && !isASCII([]byte(text)) && size >= 8 {
						certain++
						t.Logf("%s %q is certainly %s %q", e, text, got.Encoding, got.Text)
					}
				}
			}
			t.Logf("%s, %d characters: %d of %d wrong, %d certainly", e, size, wrong, n, certain)
			if most := map[int]int{4: n / 5, 8: n / 50, 16: n / 100, 40: 0}[size]; wrong > most || certain > n/100 {
				t.Errorf("%s, %d characters: %d of %d wrong, at most %d may be", e, size, wrong, n, most)
			}
		}
	}
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		data   string
		text   string
		manner string
		err    error
	}{
		{"\uFEFFa\r\n", "a\r\n", "UTF-8 with BOM", nil},
		{"中\uFFFD\n", "中\uFFFD\n", "", nil},
		{"正文\n结\xe5\xb0", "正文\n结\xe5\xb0", "UTF-8 with invalid bytes", nil},
		{"a\x00b", "", "", ErrBinary},
		{"%PDF-1.4", "", "", ErrBinary},
		{"\x89PNG\r\n", "", "", ErrBinary},
		{"\xff\xfea\x00\n\x00", "a\n", "UTF-16LE", nil},
		{"\xfe\xff\x00a\x00\n", "a\n", "UTF-16BE", nil},
		{"\xff\xfea\x00\n", "", "", &LossError{UTF16LE}},
		{"\xff\xfe\x00\xd8a\x00", "", "", &LossError{UTF16LE}},
		{"a\x01\xff\xfe\xfd", "", "", ErrUnknown},
		{"\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0\n", "", "", ErrUnknown}, // Windows-1251
		{"\x84\x31\x95\x33\xb2\xe2\xca\xd4\xce\xc4\xbc\xfe\xc4\xda\xc8\xdd", "测试文件内容", "GB18030", nil},
		{"\x00a\x00b\x00\x01", "", "", ErrBinary},
		{strings.Repeat("\x00", 100), "", "", ErrBinary},
		{"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", "", "", ErrBinary},
	} {
		got, err := Decode([]byte(tt.data))
		if fmt.Sprint(err) != fmt.Sprint(tt.err) || got.Text != tt.text || err == nil && got.Manner() != tt.manner {
			t.Errorf("Decode(%q) = %+v, %q, %v", tt.data, got, got.Manner(), err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for e, want := range map[Encoding]rune{GBK: '😀', Big5: '简', ShiftJIS: '한', EUCKR: '😀', Latin1: '“', Windows1252: '中'} {
		_, err := e.Encode("ok " + string(want) + " ok")
		var unfit *UnfitError
		if !errors.As(err, &unfit) || unfit.Char != want || unfit.Encoding != e {
			t.Errorf("%s: %v", e, err)
		}
	}
}

// TestReader: a reader gives what Decode does, whatever the pieces, and shows what is damaged.
func TestReader(t *testing.T) {
	for e, texts := range samples() {
		text := strings.Repeat(strings.Join(texts, "\n"), 400)
		data := encoded(t, e, text)
		g, err := Examine(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		got, err := io.ReadAll(NewReader(iotest.HalfReader(bytes.NewReader(data)), g))
		if err != nil || string(got) != text {
			t.Errorf("%s: %d bytes of text, want %d, %v", e, len(got), len(text), err)
		}
	}
	for _, tt := range []struct {
		guess Guess
		data  string
		want  string
		bad   int
	}{
		{Guess{Encoding: GBK}, "\xb2\xe2\xff\xca\xd4\xb2", `测\xFF试\xB2`, 2},
		{Guess{Encoding: GBK}, "\xb2\n", "\\xB2\n", 1},
		{Guess{Encoding: UTF8, Damaged: true}, "结\xe5\xb0", `结\xE5\xB0`, 2},
		{Guess{Encoding: UTF16LE}, "a\x00\x00\xd8b\x00c", `a\x00\xD8b\x63`, 3},
		{Guess{Encoding: UTF16LE}, "\xfd\xffa\x00", "\uFFFDa", 0},
		{Guess{Encoding: GB18030}, "\x84\x31\xa4\x37a\xff", "\uFFFDa\\xFF", 1},
	} {
		r := NewReader(strings.NewReader(tt.data), tt.guess)
		if got, err := io.ReadAll(r); err != nil || string(got) != tt.want || r.Bad != tt.bad {
			t.Errorf("%q as %s: %q, %d bad, %v", tt.data, tt.guess.Encoding, got, r.Bad, err)
		}
	}
	broken := iotest.TimeoutReader(strings.NewReader(strings.Repeat("x", 3*pieceSize)))
	if _, err := io.ReadAll(NewReader(broken, Guess{})); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("an error of the file: %v", err)
	}
}

// TestLateText: what comes after a long plain head counts too.
func TestLateText(t *testing.T) {
	head := strings.Repeat("plain\n", 50_000)
	if got, err := Decode(append([]byte(head), encoded(t, GBK, "读取配置文件失败")...)); err != nil || got.Encoding != GBK {
		t.Errorf("%s, %v", got.Encoding, err)
	}
	if _, err := Decode([]byte(head + "\x00")); !errors.Is(err, ErrBinary) {
		t.Errorf("a late NUL: %v", err)
	}
}

// FuzzDecode: what is decoded comes back byte for byte, and is read the same in a stream.
func FuzzDecode(f *testing.F) {
	for e, texts := range samples() {
		for _, text := range texts {
			f.Add(encoded(f, e, text))
		}
	}
	f.Add([]byte("正文\n结\xe5\xb0"))
	f.Add([]byte("\xff\xfea\x00\x00\xd8"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Examine(bytes.NewReader(data))
		if err != nil {
			return
		}
		shown, err := io.ReadAll(NewReader(iotest.OneByteReader(bytes.NewReader(data)), g))
		if err != nil {
			t.Fatal(err)
		}
		text, err := Decode(data)
		if err != nil {
			return
		}
		if back, err := text.Encode(text.Text); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%q as %s comes back as %q, %v", data, g.Encoding, back, err)
		}
		if want := Visible(text.Text); string(shown) != want {
			t.Fatalf("%q as %s is shown as %q, decoded %q", data, g.Encoding, shown, want)
		}
	})
}

// FuzzEncode: what an encoding takes, it gives back; the rest it refuses.
func FuzzEncode(f *testing.F) {
	f.Add("注释 é 😀", 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		e := Encoding(uint(n) % uint(Windows1252+1))
		text = strings.ToValidUTF8(text, "")
		data, err := e.Encode(text)
		var unfit *UnfitError
		switch {
		case errors.As(err, &unfit) && strings.ContainsRune(text, unfit.Char):
			return
		case err != nil:
			t.Fatalf("%s of %q: %v", e, text, err)
		}
		for at := range text {
			head, errHead := e.Encode(text[:at])
			tail, errTail := e.Encode(text[at:])
			if errHead != nil || errTail != nil || !bytes.Equal(append(head, tail...), data) {
				t.Fatalf("%s of %q is not the sum of its pieces at %d", e, text, at)
			}
		}
	})
}

func TestShow(t *testing.T) {
	for data, want := range map[string]string{"\uFEFFa": "a", "中\n": "中\n", "\xb2\xe2\xca\xd4\xca\xfd\xbe\xdd\n": "测试数据\n", "正文件\xe5": `正文件\xE5`} {
		if got, _, err := Show([]byte(data)); got != want || err != nil {
			t.Errorf("Show(%q) = %q, %v", data, got, err)
		}
	}
	if _, _, err := Show([]byte("a\x00")); !errors.Is(err, ErrBinary) {
		t.Errorf("binary: %v", err)
	}
}

func BenchmarkExamine(b *testing.B) {
	for name, data := range map[string][]byte{
		"plain": bytes.Repeat([]byte("a line of ordinary length in a source file\n"), 25_000),
		"utf8":  bytes.Repeat([]byte("一行普通长度的文字 in a file\n"), 25_000),
		"gbk":   bytes.Repeat(encoded(b, GBK, "一行普通长度的文字 in a file\n"), 25_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Examine(bytes.NewReader(data)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
