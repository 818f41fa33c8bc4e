//go:build !linux

package shell

import "os/exec"

// tree is the process group of a command: of its processes in other groups nothing is known.
type tree struct {
	leader int
}

func newTree() *tree { return new(tree) }

func (t *tree) environ(env []string) []string { return append([]string{}, env...) }

func (t *tree) start(cmd *exec.Cmd) (*exec.Cmd, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t.leader = cmd.Process.Pid
	return cmd, nil
}

func (t *tree) orphaned() {}

func (t *tree) alive() []string {
	if groupAlive(t.leader) {
		return []string{"process group"}
	}
	return nil
}

func (t *tree) terminate() { terminate(t.leader) }

func (t *tree) kill() { kill(t.leader) }

// posture is empty: nobody can tell here what a process waits for.
type posture struct{ program, on string }

func (t *tree) waiting() posture { return posture{} }

func (posture) still(posture) bool { return false }
