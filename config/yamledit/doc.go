// Package yamledit changes single values of a YAML file and leaves every
// other byte as it was: comments, order, blank lines, quoting, anchors, line
// ends, byte order mark.
//
// Law: an edit is proved or refused, never guessed. A file is parsed, bytes
// are spliced at the positions the parser names, the result is parsed again,
// and both trees are compared: they must differ in the named values only.
//
// What an edit does, where YAML leaves a choice:
//
//   - The quoting of a replaced string is kept. A plain string that would be
//     read as something else (yes, null, 1.0, 2026-01-01) is put in double
//     quotes. A block scalar (| or >) gives way to a one-line string.
//   - A missing key is added after the last key of its mapping, a missing
//     item after the last item of its list, both in the style of the
//     neighbours and with the indentation of the file.
//   - Removing a key takes its own bytes; comments before it, behind it on the
//     same line and after it stay. Comments inside a removed mapping or list go
//     with it. The mapping that lost its last key stays as {}, a list as []. A
//     document that lost its last key has no content left but its comments
//     (before an end marker, where the parser wants content, {}).
//   - A value that other places share by an anchor is refused (ErrShared). A
//     value that comes from an alias is replaced in its place, one that comes
//     from a merge key is overridden beside it; a mapping or list that comes
//     from an alias or a merge is refused, because its other places would
//     change or its other keys would be hidden.
//   - A scalar in the place of a mapping is refused; Nest turns it into one.
package yamledit
