// Package desired holds the words for what should be: the Host document, its
// types, defaults, strict decoding, validation and difference.
//
// Law: a document is either wholly valid or not in force. Whatever is absent
// is not managed; the host's own value stands. The package does no I/O.
package desired
