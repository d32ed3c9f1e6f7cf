package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
	"gopkg.in/yaml.v3"

	"corehost/cmd/cli/text"
)

// print writes a body in the format that was asked for: as it is for
// programs, else the page that render makes of it.
func (a *app) print(body any, render func(text.Style) string) error {
	if a.format == "text" {
		return a.say(render(a.style()))
	}
	data, err := a.encode(body)
	if err != nil {
		return err
	}
	return write(a.stdout, data)
}

// say writes text for people; --quiet silences it.
func (a *app) say(page string) error {
	if a.quiet || a.format != "text" {
		return nil
	}
	return write(a.stdout, []byte(page))
}

func write(w io.Writer, data []byte) error {
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

func (a *app) encode(body any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(body); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	if a.format == "yaml" {
		return asYAML(b.Bytes())
	}
	return b.Bytes(), nil
}

// asYAML is JSON written as YAML, names and order kept. JSON is YAML in flow
// style, so only the style of each node changes.
func asYAML(data []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("write as YAML: %w", err)
	}
	plain(&doc)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return nil, fmt.Errorf("write as YAML: %w", err)
	}
	return b.Bytes(), nil
}

// plain clears the style of all nodes that have something in them; empty
// lists and mappings stay [] and {}.
func plain(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode || len(n.Content) > 0 {
		n.Style = 0
	}
	for _, child := range n.Content {
		plain(child)
	}
}

// style is how text looks on standard output.
func (a *app) style() text.Style {
	return text.Style{Color: a.colorful(a.stdout), Width: a.width(), Now: a.now()}
}

func (a *app) colorful(w io.Writer) bool {
	return !a.noColor && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb" && terminal(w)
}

// width is the terminal's; piped, it is COLUMNS where that is set.
func (a *app) width() int {
	if f, ok := a.stdout.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	columns, err := strconv.Atoi(a.getenv("COLUMNS"))
	if err != nil {
		return text.DefaultWidth
	}
	return columns
}

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
