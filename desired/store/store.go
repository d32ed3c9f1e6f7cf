package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"corehost/config/home"
	"corehost/config/operatordb"
	"corehost/desired"
)

// Authors of revisions that nobody asked for through a Write.
const (
	authorFile     = "file"     // an editor, or whoever changed the file
	authorOperator = "operator" // the first start
	authorRollback = "rollback" // a rollback that names no author
)

// ErrNoRevision says that the history has no revision of that number.
var ErrNoRevision = errors.New("no such revision")

// Revision is one accepted content of desired.yaml. Numbers grow by one and
// never come again; their order is the order of events, whatever the clock did.
type Revision struct {
	Number int64 // 0: none yet
	Time   time.Time
	Author string // file, operator, api:<account>, cli:<uid>, rollback, try …
	Note   string
	Text   []byte
	Sum    home.Sum // of Text
}

// State is where desired.yaml stands. It is immutable: read, never written.
type State struct {
	// Host is the document in force: the last good one, with its defaults
	// applied and metadata.generation set. It is never nil; before the first
	// revision it manages nothing.
	Host     *desired.Host
	Revision Revision
	FileSum  home.Sum         // of the file as it lies there, valid or not; NoFile: missing or unreadable
	Invalid  *desired.Invalid // why the file is not in force
	Problem  error            // why the file cannot be read or recorded: missing, a folder, a symlink out …
	Since    time.Time        // when it came to stand like this
}

// Config is what a store works with.
type Config struct {
	Door     *home.Door
	DB       *operatordb.DB
	Now      func() time.Time
	Hostname string // name of the host in a first document
	Create   bool   // write a first document in a home that never had one
}

// Store is safe for concurrent use. One store of a home may be open at a time.
type Store struct {
	Config
	turn sync.Mutex // held by whoever reads or writes the file; guards pending, origins
	// pending is the write whose outcome is not known: it was announced, and
	// the process or the disk failed before it was recorded.
	pending *Revision
	origins map[string]int64 // field → revision that set it; nil: not known yet

	mu      sync.Mutex // guards state and changed
	state   State
	changed chan struct{}
}

// Open loads what is in force, finishes what a crash left unfinished, and
// reads the file. A file in trouble is no error: State tells. An error means
// that the history cannot be read.
func Open(ctx context.Context, c Config) (*Store, error) {
	s := &Store{Config: c, changed: make(chan struct{})}
	s.state = State{Host: document(&desired.Host{}, 0), Since: c.Now()}
	s.turn.Lock()
	defer s.turn.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, fmt.Errorf("open the history of %s: %w", home.DesiredFile, err)
	}
	if err := s.recover(ctx); err != nil {
		return nil, fmt.Errorf("recover %s: %w", home.DesiredFile, err)
	}
	return s, nil
}

// Current is where things stand now.
func (s *Store) Current() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Changed is closed at the next change. Take it before Current, so that no
// change is missed between the two.
func (s *Store) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Refresh reads the file now. The error is of ctx or of the history; trouble
// with the file itself is in State.
func (s *Store) Refresh(ctx context.Context) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	_, err := s.refresh(ctx)
	var unreadable *fileError
	if errors.As(err, &unreadable) {
		return nil
	}
	return err
}

// Check decodes a text as the document it would be, with its defaults. The
// error is a *desired.Invalid.
func Check(text []byte) (*desired.Host, error) {
	host, err := desired.Decode(home.DesiredFile, text)
	if err != nil {
		return nil, err
	}
	return document(host, 0), nil
}

// document completes a decoded document.
func document(host *desired.Host, number int64) *desired.Host {
	host.Generation = number
	desired.Defaults(host)
	return host
}

// become makes next the state and tells everybody, if it is another one.
func (s *Store) become(next State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if same(s.state, next) {
		return
	}
	next.Since = s.Now()
	s.state = next
	close(s.changed)
	s.changed = make(chan struct{})
}

func same(a, b State) bool {
	return a.Revision.Number == b.Revision.Number && a.FileSum == b.FileSum &&
		(a.Invalid == nil) == (b.Invalid == nil) && message(a.Problem) == message(b.Problem)
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
