package llmtest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// exchange sends one raw request and returns all bytes of the answer.
func exchange(t *testing.T, s *Server, request string) (string, error) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	return string(got), err
}

const get = "GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n"

func TestAnswerIsByteExact(t *testing.T) {
	date := "Mon, 02 Nov 2026 00:00:00 GMT"
	s := NewServer(Answer{Status: 429, Header: http.Header{"Date": {date}, "Retry-After": {"x"}}, Body: []byte("a\r\n\x00b"), Cuts: []int{1, 3}})
	defer s.Close()
	got, err := exchange(t, s, get)
	want := "HTTP/1.1 429 Too Many Requests\r\nDate: " + date + "\r\nRetry-After: x\r\nConnection: close\r\n\r\na\r\n\x00b"
	if got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestNoContentTypeIsGuessed(t *testing.T) {
	s := NewServer(Answer{Body: []byte("<html>")})
	defer s.Close()
	resp, err := http.Get(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if v, ok := resp.Header["Content-Type"]; ok || resp.Header.Get("Date") == "" {
		t.Errorf("header %v %v", resp.Header, v)
	}
}

func TestReset(t *testing.T) {
	n := 3
	s := NewServer(Answer{Body: []byte("abcdef"), Reset: &n})
	defer s.Close()
	got, err := exchange(t, s, get)
	if !strings.HasSuffix(got, "\r\n\r\nabc") || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOpenAndPace(t *testing.T) {
	s := NewServer(Answer{Body: []byte("a\n\nb\n\n"), Pace: 20 * time.Millisecond, Open: true})
	defer s.Close()
	start := time.Now()
	resp, err := http.Get(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	for range 4 {
		if _, err := in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took < 40*time.Millisecond {
		t.Errorf("two paced events took %s", took)
	}
	s.Close() // releases the connection that is kept open
	if _, err := in.ReadByte(); err == nil {
		t.Error("the connection outlived the server")
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	s, err := Serve(func(n int, req Request) Answer {
		return Answer{Body: bytes.Repeat([]byte("x"), n+1)}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	post := "POST /v1/chat/completions?a=b HTTP/1.1\r\nHost: a\r\nX-Key: k\r\nContent-Length: 2\r\n\r\n{}"
	models, _ := exchange(t, s, "GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n")
	first, _ := exchange(t, s, post)
	second, _ := exchange(t, s, post)
	if !strings.Contains(models, `"object":"list"`) || !strings.HasSuffix(first, "\n\r\nx") || !strings.HasSuffix(second, "\n\r\nxx") {
		t.Errorf("answers %q %q %q", models, first, second)
	}
	got := s.Requests()
	if len(got) != 3 || got[1].Method != "POST" || got[1].Path != "/v1/chat/completions?a=b" || got[1].Header.Get("X-Key") != "k" || string(got[1].Body) != "{}" {
		t.Errorf("requests %+v", got)
	}
}
