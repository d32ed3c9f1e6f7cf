package rooms

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// order lists the rooms from the inner to the outer. A package imports only
// rooms to its left, and inside its own room only what siblings allows.
var order = []string{"config", "desired", "observers", "deploy", "reconcilers", "api", "cmd"}

// why is printed with a breach: the reason for each wall.
var why = map[string]string{
	"config":      "the files of an installation must be readable by a program that knows nothing of operating it",
	"desired":     "what should be is a document; it must not know how hosts are read or changed",
	"observers":   "reading never changes the host, so an observer must not reach anything that writes",
	"deploy":      "archives and updates are used by reconcilers, api and cmd, so they cannot know them",
	"reconcilers": "what to do must not depend on who asks",
	"api":         "the API is one of three ways in; commands are another, neither owns the other",
	"cmd":         "nothing imports a program",
}

// tools are leaves that every leaf of their room, and every outer room, may
// use: each is the one door for something all of them need.
var tools = []string{
	"config/home",      // files are read and written through its door
	"config/yamledit",  // YAML is read and changed through it
	"observers/folder", // folders are watched through it
}

// siblings are the written exceptions: a leaf that may use another leaf of
// its own room, with the reason.
var siblings = map[string][]string{
	// The engine is the room's machinery: it keeps the journal.
	"reconcilers/engine": {"reconcilers/journal"},
	// Who wrote config.yaml is known by the observer that watches writers.
	"observers/platform": {"observers/writer"},
	// The ring behind the sparkline listens to the hub.
	"observers/history": {"observers/hub"},
	// The catalogue holds the providers people wrote into config.yaml.
	"config/provider": {"config/platform"},
}

const module = "corehost/"

// source is one Go file and what it imports from this module.
type source struct {
	file    string
	pkg     string
	imports []string
	test    bool
}

func TestRoomsImportInwardOnly(t *testing.T) {
	for _, src := range sources(t) {
		for _, imported := range src.imports {
			if reason := breach(src, imported); reason != "" {
				t.Errorf("%s imports %s: %s", src.file, imported, reason)
			}
		}
	}
}

// breach says why an import is not allowed; empty when it is.
func breach(src source, imported string) string {
	from, to := room(src.pkg), room(imported)
	switch {
	case src.test && to != "cmd", from == "cmd":
		return "" // a test may look at any room; programs wire everything
	case slices.Index(order, to) < 0:
		return "there is no such room; the rooms are " + strings.Join(order, ", ")
	case from == to:
		return sibling(src.pkg, imported)
	case slices.Index(order, to) > slices.Index(order, from):
		return why[from]
	}
	return ""
}

func sibling(pkg, imported string) string {
	if imported == room(imported) || strings.HasPrefix(pkg, imported+"/") || strings.HasPrefix(imported, pkg+"/") {
		return "" // the words of a room are for everyone in it, and a package may be divided
	}
	if slices.Contains(tools, imported) || slices.Contains(siblings[pkg], imported) || strings.HasSuffix(imported, "test") {
		return ""
	}
	return "leaves do not know each other; an exception is written in siblings with its reason"
}

func room(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	return first
}

func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	var list []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") {
			list = append(list, parse(t, root, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 50 {
		t.Fatalf("found only %d Go files: the walk does not see the tree", len(list))
	}
	return list
}

func parse(t *testing.T, root, path string) source {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		t.Fatal(err)
	}
	src := source{file: rel, pkg: filepath.Dir(rel), test: strings.HasSuffix(path, "_test.go")}
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if inner, ok := strings.CutPrefix(name, module); ok {
			src.imports = append(src.imports, inner)
		}
	}
	return src
}
