package headless

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"paicli/agent"
	"paicli/internal/i18n"
	"paicli/llm"
	"paicli/session"
)

// InputError is a line of the input that cannot be read. Line counts from 1.
type InputError struct {
	Line int
	Err  error
}

func (e *InputError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *InputError) Unwrap() error { return e.Err }

// inputLine is one object of `--input-format stream-json`: a user message, a control request of the
// driver, or its response to one of ours.
type inputLine struct {
	Type    string `json:"type"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype string `json:"subtype"`
		Mode    string `json:"mode"`
		ID      string `json:"id"` // with answer: of the question
		Choice  string `json:"choice"`
		Text    string `json:"text"`
	} `json:"request"`
	Response struct {
		Subtype   string       `json:"subtype"`
		RequestID string       `json:"request_id"`
		Response  driverAnswer `json:"response"`
	} `json:"response"`

	n   int // line number
	err error
}

// talk is a conversation that is driven by lines of JSON. Messages that come while a turn runs wait
// for its end: there is one result for each.
type talk struct {
	ctx     context.Context
	conv    Conversation
	opts    Options
	paint   painter
	turn    *result // of the running turn, nil between turns
	waiting []agent.Prompt
	asked   map[string]*session.Asked // open questions by id
	closed  bool                      // the input has ended
	code    int
}

// RunInput makes a turn of every user message in the input and answers control requests. It returns
// the exit code of the last turn. An *InputError is a line that could not be read; what ran is
// interrupted then.
func RunInput(ctx context.Context, conv Conversation, in io.Reader, opts Options) (int, error) {
	t := &talk{ctx: ctx, conv: conv, opts: opts, paint: newPainter(opts), asked: make(map[string]*session.Asked)}
	if err := t.paint.begin(); err != nil {
		return ExitFailed, err
	}
	reading, release := untilInterrupted(ctx, conv, opts)
	defer release()
	events := make(chan session.Event)
	go func() {
		defer close(events)
		for e, err := range conv.Events(reading, opts.After) {
			if err == nil && !send(reading, events, e) {
				return
			}
		}
	}()
	return t.run(reading, events, readLines(reading, in))
}

func send[T any](ctx context.Context, ch chan<- T, v T) bool {
	select {
	case ch <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// maxLine bounds a line of input, in bytes: a message with images.
const maxLine = 64 << 20

// readLines parses the input. The goroutine ends with the input, or with the process where a pipe
// stays open.
func readLines(ctx context.Context, in io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		defer close(lines)
		scan := bufio.NewScanner(in)
		scan.Buffer(nil, maxLine)
		n := 0
		for scan.Scan() {
			n++
			if strings.TrimSpace(scan.Text()) == "" {
				continue
			}
			line := inputLine{}
			line.err = json.Unmarshal(scan.Bytes(), &line)
			line.n = n
			if !send(ctx, lines, line) {
				return
			}
		}
		if err := scan.Err(); err != nil {
			send(ctx, lines, inputLine{n: n + 1, err: err})
		}
	}()
	return lines
}

func (t *talk) run(reading context.Context, events <-chan session.Event, lines <-chan inputLine) (int, error) {
	for {
		if t.turn == nil && (t.ctx.Err() != nil || t.closed && len(t.waiting) == 0) {
			return t.exit(), nil
		}
		select {
		case line, ok := <-lines:
			if !ok {
				t.close()
				lines = nil
				continue
			}
			if err := t.take(line); err != nil {
				return ExitUsage, err
			}
		case e, ok := <-events:
			if !ok {
				return t.exit(), nil
			}
			if err := t.see(e); err != nil {
				return ExitFailed, err
			}
		case <-reading.Done():
			return t.exit(), nil
		case <-t.idle():
		}
		if err := t.next(); err != nil {
			return ExitInternal, err
		}
	}
}

// idle fires when the person ends the program between two turns.
func (t *talk) idle() <-chan struct{} {
	if t.turn == nil {
		return t.ctx.Done()
	}
	return nil
}

func (t *talk) exit() int {
	var cause *ExitCause
	if errors.As(context.Cause(t.ctx), &cause) {
		return cause.Code
	}
	return t.code
}

// next starts the turn of the oldest waiting message.
func (t *talk) next() error {
	if t.turn != nil || len(t.waiting) == 0 || t.ctx.Err() != nil {
		return nil
	}
	prompt := t.waiting[0]
	t.waiting = t.waiting[1:]
	t.turn = newResult(t.opts)
	if err := t.conv.Submit(prompt); err != nil {
		return fmt.Errorf("start turn: %w", err)
	}
	return nil
}

// see draws an event and, at the end of a turn, its result.
func (t *talk) see(e session.Event) (err error) {
	if t.turn == nil {
		return t.paint.event(e)
	}
	switch b := e.Body.(type) {
	case *session.Asked:
		return t.ask(b)
	case *session.Answered:
		delete(t.asked, b.ID)
	}
	ended, err := t.turn.see(t.paint, e)
	if err != nil || !ended {
		return err
	}
	t.code, err = t.turn.show(t.ctx, t.paint)
	if t.turn.ended.End == session.EndInterrupted && t.ctx.Err() == nil {
		t.code = ExitDone // the driver wished it so
	}
	t.turn = nil
	return err
}

// take carries a line out.
func (t *talk) take(line inputLine) error {
	if line.err != nil {
		return &InputError{line.n, line.err}
	}
	switch line.Type {
	case "user":
		prompt, err := t.prompt(line.Message.Content)
		if err != nil {
			return &InputError{line.n, err}
		}
		t.waiting = append(t.waiting, prompt)
	case "control_request":
		return t.control(line)
	case "control_response":
		t.answered(line)
	default:
		return &InputError{line.n, t.say(i18n.InputType, line.Type)}
	}
	return nil
}

// say makes an error in the language of the screen.
func (t *talk) say(text i18n.Text, args ...any) error {
	return errors.New(t.opts.Lang.Say(text, args...))
}

// control carries out a request of the driver and answers it.
func (t *talk) control(line inputLine) error {
	var err error
	switch r := line.Request; r.Subtype {
	case "initialize":
	case "interrupt":
		err = t.conv.Submit(agent.Interrupt{})
	case "set_permission_mode":
		err = t.setMode(r.Mode)
	case "answer":
		err = t.conv.Submit(agent.AnswerOp{ID: r.ID, Answer: agent.Answer{Choice: r.Choice, Text: r.Text}})
	default:
		err = t.say(i18n.InputControl, r.Subtype)
	}
	response := object{"subtype": "success", "request_id": line.RequestID}
	if err != nil {
		response = object{"subtype": "error", "request_id": line.RequestID, "error": err.Error()}
	}
	return WriteLine(t.opts.Out, object{"type": "control_response", "response": response})
}

// prompt reads the content of a user message: a text, or blocks of text and images.
func (t *talk) prompt(raw json.RawMessage) (agent.Prompt, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return agent.Prompt{Text: text}, nil
	}
	var blocks []struct {
		Type   string
		Text   string
		Source struct {
			MediaType string `json:"media_type"`
			Data      []byte
		}
	}
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return agent.Prompt{}, fmt.Errorf("read content: %w", err)
	}
	var p agent.Prompt
	for _, b := range blocks {
		switch b.Type {
		case "text":
			p.Text = strings.TrimPrefix(p.Text+"\n"+b.Text, "\n")
		case "image":
			p.Media = append(p.Media, llm.Media{MIME: b.Source.MediaType, Data: b.Source.Data})
		default:
			return p, t.say(i18n.InputBlock, b.Type)
		}
	}
	return p, nil
}
