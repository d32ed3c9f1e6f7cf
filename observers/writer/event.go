package writer

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// The layout of struct fanotify_event_metadata and of the records behind it
// (fanotify(7)), in the machine's byte order.
const (
	metadataSize = 24
	recordHeader = 4 // info_type, pad, len
	fsidSize     = 8 // __kernel_fsid_t
	handleHeader = 8 // handle_bytes, handle_type
	recordFixed  = recordHeader + fsidSize + handleHeader
	noName       = "" // an event of the folder itself
)

// event is one thing that happened to one name in the folder.
type event struct {
	pid      int
	name     string
	wrote    bool // false: it was only opened
	overflow bool
}

// parse reads what the kernel put into one read. It stops at the first event
// that does not hold together.
func parse(buf []byte) []event {
	var events []event
	for len(buf) >= metadataSize {
		length := int(binary.NativeEndian.Uint32(buf))
		version := buf[4]
		header := int(binary.NativeEndian.Uint16(buf[6:]))
		if version != unix.FANOTIFY_METADATA_VERSION || length < metadataSize || length > len(buf) || header < metadataSize || header > length {
			return events
		}
		mask := binary.NativeEndian.Uint64(buf[8:])
		events = append(events, event{
			pid:      int(int32(binary.NativeEndian.Uint32(buf[20:]))), //nolint:gosec // G115: it is an __s32
			name:     parseName(buf[header:length]),
			wrote:    mask&writeMask != 0,
			overflow: mask&unix.FAN_Q_OVERFLOW != 0,
		})
		buf = buf[length:]
	}
	return events
}

// parseName finds the record with a name among an event's records: a header,
// the file system's id, a file handle of stated size, the name, a NUL.
func parseName(records []byte) string {
	for len(records) >= recordHeader {
		kind, length := records[0], int(binary.NativeEndian.Uint16(records[2:]))
		if length < recordHeader || length > len(records) {
			return noName
		}
		if kind == unix.FAN_EVENT_INFO_TYPE_DFID_NAME && length >= recordFixed {
			handle := binary.NativeEndian.Uint32(records[recordHeader+fsidSize:])
			if int64(handle) > int64(length-recordFixed) {
				return noName
			}
			name, _, _ := bytes.Cut(records[recordFixed+int(handle):length], []byte{0})
			return string(name)
		}
		records = records[length:]
	}
	return noName
}
