package yamledit

// Apply makes the edits in their order and returns the new bytes: all of
// them or, with an *Error, none. Values that are already as wanted change
// nothing.
func Apply(src []byte, edits ...Edit) ([]byte, error) {
	return nil, fail(ErrUnsupported, 0, 0, "not yet")
}
