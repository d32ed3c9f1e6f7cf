package yamledit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"corehost/config/yamledit"
)

// bomb is an alias bomb: each level doubles the one before.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x]\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return b.String()
}

// mergeBomb asks for 2^levels searches of a key that is nowhere.
func mergeBomb(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 {x: 1}\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d {<<: [*a%d, *a%d]}\n", i, i, i-1, i-1)
	}
	return b.String()
}

// Hostile files are refused with a place and a reason, and soon.
func TestHostileFilesAreRefused(t *testing.T) {
	tests := []struct {
		name string
		src  string
		kind error
	}{
		{"alias bomb", bomb(60), yamledit.ErrLimit},
		{"merge bomb", mergeBomb(60), yamledit.ErrLimit},
		{"alias of itself", "a: &a [*a]\n", yamledit.ErrSyntax},
		{"merge of itself", "a: &a\n  <<: *a\n", yamledit.ErrSyntax},
		{"deep block", deep(200), yamledit.ErrLimit},
		{"deep flow", "a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "\n", yamledit.ErrLimit},
		{"deeper flow", "a: " + strings.Repeat("[", 1<<20) + "\n", yamledit.ErrLimit},
		{"deep open flow", "a: " + strings.Repeat("{a: ", 50_000) + "\n", yamledit.ErrLimit},
		{"too large", strings.Repeat("a", yamledit.MaxSize+1), yamledit.ErrLimit},
		{"too many values", "a: [" + strings.Repeat("1,", 1<<20) + "]\n", yamledit.ErrLimit},
		{"question marks", strings.Repeat("? ", 100_000), yamledit.ErrLimit},
		{"NUL", "a: 1\x00\n", yamledit.ErrSyntax},
		{"not UTF-8", "a: \xff\n", yamledit.ErrSyntax},
		{"UTF-16", "\xff\xfea\x00:\x00 \x001\x00", yamledit.ErrSyntax},
		{"two documents", "a: 1\n---\nb: 1\n", yamledit.ErrUnsupported},
		{"list", "- a\n", yamledit.ErrUnsupported},
		{"scalar", "text\n", yamledit.ErrUnsupported},
		{"null", "~\n", yamledit.ErrUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			root, err := yamledit.Parse([]byte(tt.src))
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
			if root != nil || !errors.Is(err, tt.kind) {
				t.Fatalf("got %v, want %v", err, tt.kind)
			}
			if got, err := yamledit.Apply([]byte(tt.src), yamledit.Set("m.p", "x")); got != nil || !errors.Is(err, tt.kind) {
				t.Errorf("the edit: %v", err)
			}
		})
	}
}

// A byte order mark changes neither the verdict nor its place.
func TestBrokenFilesWithAByteOrderMark(t *testing.T) {
	broken := []string{"\t\t", "\t\n", "\t#", " \n\t\n", "%", "\x14", "\n@", "# c\n\t@ x\n", "\n\n# c\n  `\n", "]", "a: [\n", "a: 'x\n", "a: 1\n b: 2\n", "*a", "a: *b\n", "? - :\n", "a: 1\na: 2\n", "- a\n", "é: @\n", "\r\n\r\n}\r\n"}
	for _, src := range append(broken, seeds...) {
		var without, with *yamledit.Error
		_, err := yamledit.Parse([]byte(strings.TrimPrefix(src, bom)))
		errors.As(err, &without)
		_, err = yamledit.Parse([]byte(bom + strings.TrimPrefix(src, bom)))
		errors.As(err, &with)
		if (without == nil) != (with == nil) {
			t.Errorf("%q: %v without, %v with", src, without, with)
		} else if with != nil && (with.Line != without.Line || with.Column != without.Column || with.Line == 0) {
			t.Errorf("%q: %v without, %v with", src, without, with)
		}
	}
}

func deep(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// A file of many thousand lines is edited in its middle, and only there.
func TestLargeFiles(t *testing.T) {
	half := func(name string) string {
		var b strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&b, "%s%d: # comment %d\n  key: 'value %d'\n\n", name, i, i, i)
		}
		return b.String()
	}
	head, tail := half("a")+"model:\n  provider: ", " # here\n"+half("b")
	for name, src := range map[string][2]string{
		"lines":    {head, tail},
		"comments": {strings.Repeat("# c\n", 400_000) + "model:\n  provider: ", "\n" + strings.Repeat("# c\n", 100_000)},
		"one line": {"{a: [" + strings.Repeat("x, ", 100_000) + "x], model: {provider: ", "}, b: '" + strings.Repeat("y ", 1<<20) + "'}"},
		"text":     {"a: |\n" + strings.Repeat("  some text in a line\n", 100_000) + "model:\n  provider: ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			got, err := yamledit.Apply([]byte(src[0]+"old"+src[1]), yamledit.Set("model.provider", "new"))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != src[0]+"new"+src[1] {
				t.Error("other bytes changed")
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	var src strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&src, "a%d:\n  # about %d\n  key: value %d\n  list: [1, 2]\n", i, i, i)
	}
	src.WriteString("model:\n  provider: a\n  default: b\n")
	data := []byte(src.String())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := yamledit.Apply(data, yamledit.Set("model.provider", "x"), yamledit.Set("model.default", "y")); err != nil {
			b.Fatal(err)
		}
	}
}
