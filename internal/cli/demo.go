package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"paicli/agent"
	"paicli/internal/app"
	"paicli/internal/config"
	"paicli/internal/headless"
	"paicli/internal/i18n"
	"paicli/llm"
	"paicli/llm/llmtest"
)

// demoCommand shows the product at work. Only its model is scripted, and it says so.
func (p *program) demoCommand() *cobra.Command {
	return &cobra.Command{Use: "demo", Args: noArgs, RunE: func(*cobra.Command, []string) error { return p.demo() }}
}

const demoScript = "#!/bin/sh\necho \"Hello World\"\n"

// demo makes a project, lets the scripted model change it through the real loop, and shows where
// everything is.
func (p *program) demo() error {
	dir, err := os.MkdirTemp("", "paicli-demo-")
	if err != nil {
		return fmt.Errorf("make demo project: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("make demo project: %w", err)
	}
	project := filepath.Join(dir, "project")
	script := filepath.Join(project, "hello.sh")
	if err := os.Mkdir(project, 0o755); err != nil {
		return fmt.Errorf("make demo project: %w", err)
	}
	if err := os.WriteFile(script, []byte(demoScript), 0o755); err != nil {
		return fmt.Errorf("make demo project: %w", err)
	}
	srv, err := llmtest.Serve(p.demoModel)
	if err != nil {
		return fmt.Errorf("start demo model: %w", err)
	}
	defer srv.Close()
	log, err := p.demoTurn(srv.URL(), project, filepath.Join(dir, "home"))
	if err != nil {
		return err
	}
	p.demoEnd(dir, project, log)
	if text, err := os.ReadFile(script); err != nil || !strings.Contains(string(text), "Hello PaiCLI") {
		return errors.New(p.lang().Say(i18n.DemoFailed))
	}
	return nil
}

// demoTurn runs the one turn of the demo, with settings of its own: nothing of the person's
// configuration or keys takes part.
func (p *program) demoTurn(url, project, home string) (log string, err error) {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	cfg, err := config.Load(config.Options{
		Root: project, UserHome: home,
		Environ: []string{"PAICLI_HOME=" + home},
		Flags:   config.Flags{BaseURL: url + "/v1", Model: "scripted"},
	})
	if err != nil {
		return "", err
	}
	a, err := app.New(app.Options{Config: cfg, Root: project, Version: version, Environ: os.Environ()})
	if err != nil {
		return "", err
	}
	defer a.Close()
	lang := p.lang()
	prompt := lang.Say(i18n.DemoPrompt)
	fmt.Fprintf(p.out, "%s\n\n> %s\n\n", lang.Say(i18n.DemoIntro, url), prompt)
	opts := p.drawing(a, project, cfg.Mode)
	opts.Err, opts.Verbose = p.out, true
	p.code, err = headless.Run(ctx, a.Conv, agent.Prompt{Text: prompt}, opts)
	return a.Log.Path(), err
}

// demoEnd tells where things are and how to go on.
func (p *program) demoEnd(dir, project, log string) {
	lang := p.lang()
	fmt.Fprintf(p.out, "\n%s\n%s\n%s\n\n%s\n",
		lang.Say(i18n.DemoProject, project), lang.Say(i18n.DemoLog, log), lang.Say(i18n.DemoRemove, dir), lang.Say(i18n.DemoConnect))
}

// demoModel is the script: look, change, run, a yes to the review of that run, and an answer that depends
// on what the run printed.
func (p *program) demoModel(n int, req llmtest.Request) llmtest.Answer {
	lang := p.lang()
	switch n {
	case 0:
		return demoStep(lang.Say(i18n.DemoLook), "read_file", `{"path":"hello.sh"}`)
	case 1:
		return demoStep(lang.Say(i18n.DemoEdit), "edit_file", `{"path":"hello.sh","old_text":"Hello World","new_text":"Hello PaiCLI"}`)
	case 2:
		return demoStep(lang.Say(i18n.DemoRun), "execute_command", `{"command":"sh hello.sh"}`)
	}
	if n == 3 {
		return llmtest.Text(`{"decision":"allow"}`)
	}
	if strings.Contains(lastResult(req.Body), "Hello PaiCLI") {
		return llmtest.Text(lang.Say(i18n.DemoDone))
	}
	return llmtest.Text(lang.Say(i18n.DemoNotDone))
}

func demoStep(text, tool, args string) llmtest.Answer {
	return llmtest.Stream(llm.Reply{Message: llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{
		{Kind: llm.KindText, Text: text},
		{Kind: llm.KindCall, Call: &llm.Call{ID: "call_" + tool, Name: tool, Args: args}},
	}}})
}

// lastResult is the newest tool result of a request.
func lastResult(body []byte) string {
	var req struct {
		Messages []struct{ Role, Content string }
	}
	if json.Unmarshal(body, &req) != nil || len(req.Messages) == 0 {
		return ""
	}
	last := req.Messages[len(req.Messages)-1]
	if last.Role != "tool" {
		return ""
	}
	return last.Content
}
