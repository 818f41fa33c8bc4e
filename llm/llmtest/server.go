package llmtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Answer is one prepared HTTP answer. The bytes go out as they are given: no header is added but
// Date (unless given) and Connection: close, and the end of the body is the end of the connection.
type Answer struct {
	Status int // 0 = 200
	Header http.Header
	Body   []byte
	// Cuts are offsets in Body at which the server flushes and pauses, so that the client's reads
	// are split there.
	Cuts []int
	// Pause is the time spent at each cut, 0 = 2 ms.
	Pause time.Duration
	// Pace is the time before each event, an event being what a blank line ends.
	Pace time.Duration
	// Open keeps the connection open and silent after the body until the client leaves.
	Open bool
	// Reset breaks the connection off with a TCP reset after this many bytes of the body.
	Reset *int
}

// Request is one recorded request.
type Request struct {
	Method string
	Path   string // with query
	Header http.Header
	Body   []byte
}

// Server is a model server on loopback whose every byte is scripted. It speaks HTTP/1.1 by hand,
// because a real server would correct what the answers get wrong on purpose. A GET of a path that
// ends with /models is answered with a list of one model and uses up no answer. It may be used by
// several clients at a time; answers are given in the order in which requests arrive.
type Server struct {
	listener net.Listener
	answer   func(n int, req Request) Answer
	wg       sync.WaitGroup

	mu       sync.Mutex
	requests []Request
	asked    int // requests that used up an answer
	conns    map[net.Conn]bool
	closed   bool
}

// NewServer starts a server that gives the answers in order, then 500. It panics when the machine
// has no loopback network.
func NewServer(answers ...Answer) *Server {
	s, err := Serve(func(n int, _ Request) Answer {
		if n < len(answers) {
			return answers[n]
		}
		return Answer{
			Status: http.StatusInternalServerError,
			Header: http.Header{"Content-Type": {"application/json"}},
			Body:   []byte(`{"error":{"message":"the scripted server has no further answer","code":"script_end"}}`),
		}
	})
	if err != nil {
		panic(err)
	}
	return s
}

// Serve starts a server that asks a function for each answer. n counts the requests from 0.
// Requests are answered one at a time in that respect.
func Serve(answer func(n int, req Request) Answer) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	s := &Server{listener: l, answer: answer, conns: map[net.Conn]bool{}}
	s.wg.Add(1)
	go s.accept()
	return s, nil
}

// URL is the base URL of the server, without a path.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Requests returns what was asked so far, lists of models included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Close ends the server and all its connections and waits for them.
func (s *Server) Close() {
	s.listener.Close()
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

func (s *Server) accept() {
	defer s.wg.Done()
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		if !s.keep(conn) {
			conn.Close()
			return
		}
		s.wg.Add(1)
		go func() {
			defer s.wg.Done()
			defer s.forget(conn)
			s.serve(conn)
		}()
	}
}

func (s *Server) keep(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[conn] = true
	return !s.closed
}

func (s *Server) forget(conn net.Conn) {
	s.mu.Lock()
	delete(s.conns, conn)
	s.mu.Unlock()
	conn.Close()
}

// serve reads one request and answers it.
func (s *Server) serve(conn net.Conn) {
	in := bufio.NewReader(conn)
	req, err := readRequest(in)
	if err != nil {
		return
	}
	a := s.next(req)
	if a.send(conn) != nil {
		return
	}
	if a.Open {
		_, _ = io.Copy(io.Discard, in) // until the client leaves
	}
}

func readRequest(in *bufio.Reader) (Request, error) {
	r, err := http.ReadRequest(in)
	if err != nil {
		return Request{}, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return Request{}, err
	}
	return Request{Method: r.Method, Path: r.RequestURI, Header: r.Header, Body: body}, nil
}

// next records a request and finds its answer.
func (s *Server) next(req Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	path, _, _ := strings.Cut(req.Path, "?")
	if req.Method == http.MethodGet && strings.HasSuffix(path, "/models") {
		return models()
	}
	n := s.asked
	s.asked++
	return s.answer(n, req)
}

func models() Answer {
	return Answer{
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   []byte(`{"object":"list","data":[{"id":"scripted","object":"model","owned_by":"llmtest"}]}`),
	}
}

// send writes the answer. An error means that the connection is over.
func (a Answer) send(conn net.Conn) error {
	if _, err := conn.Write(a.head()); err != nil {
		return err
	}
	body := a.Body
	if a.Reset != nil {
		body = body[:min(*a.Reset, len(body))]
	}
	from := 0
	for _, part := range a.parts(len(body)) {
		if part.wait > 0 {
			time.Sleep(part.wait)
		}
		if _, err := conn.Write(body[from:part.to]); err != nil {
			return err
		}
		from = part.to
	}
	if a.Reset != nil {
		return reset(conn)
	}
	return nil
}

// head is the status line and the header.
func (a Answer) head() []byte {
	status := a.Status
	if status == 0 {
		status = http.StatusOK
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	if a.Header.Get("Date") == "" {
		fmt.Fprintf(&b, "Date: %s\r\n", time.Now().UTC().Format(http.TimeFormat))
	}
	_ = a.Header.Write(&b) // a buffer cannot fail
	b.WriteString("Connection: close\r\n\r\n")
	return b.Bytes()
}

// part is a stretch of the body that ends at to and is sent after wait.
type part struct {
	to   int
	wait time.Duration
}

func (a Answer) parts(size int) []part {
	var parts []part
	pause := a.Pause
	if pause == 0 {
		pause = 2 * time.Millisecond
	}
	switch {
	case a.Pace > 0:
		for at := 0; at < size; {
			end := bytes.Index(a.Body[at:size], []byte("\n\n"))
			if end < 0 {
				break
			}
			at += end + 2
			parts = append(parts, part{at, a.Pace})
		}
	default:
		for _, cut := range a.Cuts {
			if cut > 0 && cut < size {
				parts = append(parts, part{cut, pause})
			}
		}
	}
	if len(parts) == 0 {
		pause = 0
	}
	return append(parts, part{size, pause})
}

// reset closes the connection without the usual farewell.
func reset(conn net.Conn) error {
	if tcp, ok := conn.(*net.TCPConn); ok {
		time.Sleep(10 * time.Millisecond) // so that what was sent is read and not thrown away with the reset
		_ = tcp.SetLinger(0)
	}
	return conn.Close()
}
