package text

import "strings"

// glue stands for a blank at which a line must not break, as in a command.
// Clean lets no value bring one in.
const glue = "\x00"

// page is a text being composed, line by line.
type page struct {
	Style
	b strings.Builder
}

// line writes one line as it is.
func (p *page) line(text string) {
	p.b.WriteString(strings.TrimRight(strings.ReplaceAll(text, glue, " "), " "))
	p.b.WriteByte('\n')
}

// gap writes an empty line, unless the page is empty or has one already.
func (p *page) gap() {
	if s := p.b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		p.b.WriteByte('\n')
	}
}

// String is the page as it stands.
func (p *page) String() string { return p.b.String() }

// prose writes a paragraph after head, wrapped; further lines start below
// the place where the text began. When too little is left for it to be read,
// it goes to lines of its own.
func (p *page) prose(head, text string) {
	indent := strings.Repeat(" ", visible(head))
	if left := p.width() - len(indent); left < readable && visible(text) > left {
		p.line(head)
		head = head[:len(head)-len(strings.TrimLeft(head, " "))] + "  "
		indent = head
	}
	for i, line := range wrap(text, p.width()-len(indent)) {
		if i == 0 {
			p.line(head + line)
			continue
		}
		p.line(indent + line)
	}
}

// command is a command as it is typed, kept on one line.
func (p *page) command(text string) string {
	return strings.ReplaceAll(p.paint(cyan, text), " ", glue)
}

// table writes rows in aligned columns after indent. The last column takes
// what is left and wraps in itself.
func (p *page) table(indent string, rows [][]string) {
	widths := columns(rows)
	for _, row := range rows {
		head := indent
		for i, cell := range row[:len(row)-1] {
			head += pad(cell, widths[i]) + "  "
		}
		p.prose(head, row[len(row)-1])
	}
}

// columns measures all but the last cell of each row.
func columns(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], visible(cell))
		}
	}
	return widths
}

// wrap breaks a painted text at blanks into lines of at most width columns;
// a longer word gets a line of its own. Runs of blanks inside a text that
// fits are kept.
func wrap(text string, width int) []string {
	if visible(text) <= width {
		return []string{text}
	}
	var lines []string
	line, used := "", 0
	for word := range strings.FieldsSeq(text) {
		n := visible(word)
		if line != "" && used+1+n > width {
			lines = append(lines, line)
			line, used = "", 0
		}
		if line != "" {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	return append(lines, line)
}
