package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"paicli/llm/llmtest"
)

// TestNoUnaskedConnections runs the product in a network namespace whose only way out is loopback
// and reads the kernel's counters: every TCP connection that was begun, to whatever address, and
// every UDP packet (a name looked up) is counted there.
func TestNoUnaskedConnections(t *testing.T) {
	if os.Getenv(netEnv) != "" {
		return
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("SKIPPED: the watch on connections needs the program ip (iproute2)")
	}
	for _, c := range []struct {
		name  string
		args  []string
		model bool // a model server is configured
		tcp   int  // connections that were asked for
	}{
		{"version", []string{"version"}, false, 0},
		{"help", []string{"--help"}, false, 0},
		{"models", []string{"models"}, true, 0},
		{"doctor", []string{"doctor"}, true, 0},
		{"one turn", []string{"-p", "hi"}, true, 1},
		{"no model: only the usual loopback ports", []string{"-p", "hi"}, false, 5},
		{"the control: a name outside", []string{"-p", "hi", "--base-url", "http://example.invalid/v1", "--model", "x"}, false, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := watched(t, c.args, c.model)
			if c.tcp < 0 {
				if got.UDP == 0 && got.TCP == 0 {
					t.Errorf("the watch saw nothing of a request to another host: %+v", got)
				}
				return
			}
			if got.UDP != 0 || got.TCP != c.tcp || got.Model != min(c.tcp, got.Model) {
				t.Errorf("got %+v, want %d connections and no packet\n%s", got, c.tcp, got.Output)
			}
		})
	}
}

const netEnv = "PAICLI_TEST_NETNS"

// traffic is what a run caused.
type traffic struct {
	TCP, UDP int
	Model    int // requests that the model server got
	Output   string
}

// watched runs the product in a namespace of its own.
func watched(t *testing.T, args []string, model bool) traffic {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestInsideNamespace$", "-test.v")
	plan, _ := json.Marshal(plan{Args: args, Model: model, Dir: t.TempDir()})
	cmd.Env = append(os.Environ(), netEnv+"="+string(plan))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		if strings.Contains(err.Error(), "operation not permitted") {
			t.Skip("SKIPPED: this machine allows no network namespace: " + err.Error())
		}
		t.Fatalf("%v\n%s", err, out)
	}
	var got traffic
	_, line, ok := strings.Cut(string(out), "TRAFFIC ")
	line, _, _ = strings.Cut(line, "\n")
	if !ok || json.Unmarshal([]byte(line), &got) != nil {
		t.Fatalf("no report:\n%s", out)
	}
	return got
}

type plan struct {
	Args  []string
	Model bool
	Dir   string
}

// TestInsideNamespace is the inner half: it does nothing unless watched started it.
func TestInsideNamespace(t *testing.T) {
	var p plan
	if json.Unmarshal([]byte(os.Getenv(netEnv)), &p) != nil {
		t.Skip("runs only inside the namespace of TestNoUnaskedConnections")
	}
	for _, args := range [][]string{{"link", "set", "lo", "up"}, {"route", "add", "default", "dev", "lo"}} {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			t.Fatalf("ip %v: %v\n%s", args, err, out)
		}
	}
	env := []string{"HOME=" + p.Dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	srv := llmtest.NewServer(llmtest.Text("ok"))
	defer srv.Close()
	if p.Model {
		env = append(env, "PAICLI_BASE_URL="+srv.URL()+"/v1", "PAICLI_MODEL=scripted")
	}
	ctx, cancel := context.WithTimeout(t.Context(), insideLimit) // a name outside is not answered here
	defer cancel()
	cmd := exec.CommandContext(ctx, "paicli", p.Args...)
	cmd.Env, cmd.Dir = env, p.Dir
	before := counters(t)
	out, _ := cmd.CombinedOutput()
	after := counters(t)
	report, _ := json.Marshal(traffic{
		TCP: after[0] - before[0], UDP: after[1] - before[1], Model: len(srv.Requests()), Output: string(out),
	})
	fmt.Printf("TRAFFIC %s\n", report)
}

// insideLimit ends a run that waits for an answer from outside.
const insideLimit = 3 * time.Second

// counters reads how many TCP connections were begun and how many UDP packets were sent.
func counters(t *testing.T) [2]int {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/net/snmp")
	if err != nil {
		t.Fatal(err)
	}
	return [2]int{counter(t, string(raw), "Tcp:", "ActiveOpens"), counter(t, string(raw), "Udp:", "OutDatagrams")}
}

func counter(t *testing.T, snmp, proto, name string) (n int) {
	t.Helper()
	var names []string
	for line := range strings.Lines(snmp) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != proto {
			continue
		}
		if names == nil {
			names = f
			continue
		}
		for i := range names {
			if names[i] == name {
				fmt.Sscan(f[i], &n)
				return n
			}
		}
	}
	t.Fatalf("%s %s is not counted here", proto, name)
	return 0
}
