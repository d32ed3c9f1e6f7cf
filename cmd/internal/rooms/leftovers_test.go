package rooms

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// unfinished are the marks of work that was put off. The list is written so
// that this file does not contain them.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)

// A mark in a comment reminds nobody: what is missing is done, or left out on
// purpose and said so in words.
func TestNothingIsPutOff(t *testing.T) {
	for _, src := range sources(t) {
		for _, line := range marks(read(t, src)) {
			t.Errorf("%s:%d marks unfinished work: finish it, or say why it ends here", src.file, line)
		}
	}
}

// A test that was left out looks like one that passed: what it needs is
// installed by make test, and where that is impossible the tests stand behind
// a build tag whose absence make test reports.
func TestNoTestIsLeftOut(t *testing.T) {
	for _, src := range sources(t) {
		if !src.test {
			continue
		}
		for _, line := range skips(t, read(t, src)) {
			t.Errorf("%s:%d leaves a test out: a test runs or fails", src.file, line)
		}
	}
}

func TestLeftoversAreFound(t *testing.T) {
	src := []byte("package p\n\n// TO" + "DO later\nvar s = \"TO" + "DO\"\n\nfunc TestX(t *testing.T) {\n\tt.Skip" + "f(\"not today\")\n}\n")
	if got := marks(src); !slices.Equal(got, []int{3}) {
		t.Errorf("unfinished work was seen in lines %v, want 3: a text may name the mark, a comment may not", got)
	}
	if got := skips(t, src); !slices.Equal(got, []int{7}) {
		t.Errorf("a test left out was seen in lines %v, want 7", got)
	}
}

// marks are the lines of comments that put work off.
func marks(src []byte) []int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	var lines []int
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.COMMENT && unfinished.MatchString(text) {
			lines = append(lines, files.Position(at).Line)
		}
	}
}

// skips are the lines that leave a test out, by any of the three methods.
func skips(t *testing.T, src []byte) []int {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) {
			lines = append(lines, files.Position(s.Pos()).Line)
		}
		return true
	})
	return lines
}

func read(t *testing.T, src source) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(src.file)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
