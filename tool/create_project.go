package tool

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"paicli/agent"
	"paicli/internal/fsx"
)

//go:embed create_project.md
var createProjectText string

// The files of a type are one text: a line `-- path --` begins each. {{name}} is the name of the
// project as it was given, {{id}} what every tool chain takes for one.
//
//go:embed skeleton
var skeletons embed.FS

// projectType is a tool chain and the command that runs its tests.
type projectType struct{ name, test string }

func projectTypes() []projectType {
	return []projectType{{"java", "mvn test"}, {"python", "python3 -m unittest"}, {"node", "npm test"}, {"go", "go test ./..."}}
}

type createProjectArgs struct {
	Name string `json:"name" jsonschema:"directory, relative to the project"`
	Type string `json:"type"`
}

func createProject(w *workspace) agent.Tool {
	return agent.New(agent.Typed[createProjectArgs]{
		Name:        "create_project",
		Description: createProjectText,
		Intent: func(_ context.Context, in createProjectArgs) (agent.Intent, error) {
			p, err := w.planProject(in)
			if err != nil {
				return agent.Intent{}, err
			}
			intent := agent.Intent{Title: p.dir.Rel, Preview: files(p.names(), 0)}
			for _, f := range p.files {
				intent.Access = append(intent.Access, writes(f.Path)...)
			}
			return intent, nil
		},
		Run: func(_ context.Context, _ *agent.Call, in createProjectArgs) (agent.Output, error) {
			return w.runProject(in)
		},
	})
}

// project is what a call would make.
type project struct {
	kind  projectType
	dir   fsx.Path
	files []fsx.File
}

func (p project) names() []string {
	names := make([]string, len(p.files))
	for i, f := range p.files {
		names[i] = f.Path.Rel
	}
	return names
}

func (w *workspace) planProject(in createProjectArgs) (project, error) {
	types := projectTypes()
	i := slices.IndexFunc(types, func(t projectType) bool { return t.name == in.Type })
	if i < 0 {
		return project{}, fmt.Errorf("there is no project type %q: the types are java, python, node and go", in.Type)
	}
	if err := checkProjectName(in.Name); err != nil {
		return project{}, err
	}
	dir, err := w.resolve(in.Name, fsx.Write)
	if err != nil {
		return project{}, err
	}
	if err := w.mustBeFree(dir); err != nil {
		return project{}, err
	}
	p := project{kind: types[i], dir: dir}
	p.files, err = skeleton(p.kind.name, dir, path.Base(in.Name))
	return p, err
}

// checkProjectName takes a name, or a path of names, that means the same to people, file systems and
// tool chains.
func checkProjectName(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.Trim(part[:1], "-.") == "" || strings.HasSuffix(part, ".") || strings.IndexFunc(part, isOdd) >= 0 || isDevice(part) {
			return fmt.Errorf("the name %q cannot be used: give a directory relative to the project, of letters, digits and -_. as in demo or services/demo", name)
		}
	}
	return nil
}

// isOdd reports whether a character is not for names of projects.
func isOdd(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
}

// isDevice knows the names that Windows keeps for devices, with any extension. Go refuses them too.
func isDevice(part string) bool {
	name, _, _ := strings.Cut(strings.ToLower(part), ".")
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && name[3] >= '1' && name[3] <= '9'
}

// mustBeFree refuses a place where something is, an empty directory aside.
func (w *workspace) mustBeFree(p fsx.Path) error {
	info, err := w.root.Stat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return w.explain(p.Rel, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is there already and no directory: choose another name", p.Rel)
	}
	entries, err := w.root.ReadDir(p)
	if err != nil {
		return w.explain(p.Rel, err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: choose another name, or change what is there with write_file and edit_file", p.Rel)
	}
	return nil
}

// skeleton is the files of a new project.
func skeleton(kind string, dir fsx.Path, name string) ([]fsx.File, error) {
	text, err := skeletons.ReadFile("skeleton/" + kind + ".txt")
	if err != nil {
		return nil, fmt.Errorf("read skeleton: %w", err)
	}
	filled := strings.NewReplacer("{{name}}", name, "{{id}}", projectID(name)).Replace(string(text))
	var out []fsx.File
	for line := range strings.Lines(filled) {
		if rel, begins := strings.CutPrefix(line, "-- "); begins {
			rel = strings.TrimSuffix(rel, " --\n")
			out = append(out, fsx.File{Path: fsx.Path{Rel: path.Join(dir.Rel, rel)}})
			continue
		}
		last := &out[len(out)-1]
		last.Data = append(last.Data, line...)
	}
	return out, nil
}

// projectID is a name that every tool chain takes: lower case ASCII without odd ends.
func projectID(name string) string {
	id := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || isOdd(r) {
			return '-'
		}
		return unicode.ToLower(r)
	}, name)
	if id = strings.Trim(id, "-._"); id == "" {
		return "app"
	}
	return id
}

func (w *workspace) runProject(in createProjectArgs) (agent.Output, error) {
	p, err := w.planProject(in)
	if err != nil {
		return agent.Output{}, err
	}
	defer w.root.Lock(p.dir)()
	if err := w.root.CreateAll(p.files); err != nil {
		return agent.Output{}, fmt.Errorf("no project was created: %w", w.explain(p.dir.Rel, err))
	}
	text := fmt.Sprintf("project created: %s (type: %s)\n%s\nTest it in that directory with: %s",
		p.dir.Rel, p.kind.name, strings.Join(p.names(), "\n"), p.kind.test)
	return agent.Output{Text: text, Detail: files(p.names(), 0)}, nil
}
