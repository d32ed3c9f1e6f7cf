package writer

import (
	"bufio"
	"bytes"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"corehost/observers"
)

// The bounds of what is remembered of processes: long enough for a rename to
// find the writer of the temporary file, short enough that no other process
// has got the number.
const (
	maxPeople  = 64
	remembered = 2 * time.Second
)

// unset is the login uid of a process nobody logged in for.
const unset = 1<<32 - 1

// people looks up processes and remembers the last ones for a moment.
type people struct {
	proc  string
	now   func() time.Time
	known map[int]person
}

type person struct {
	observers.Writer
	seen time.Time
}

func newPeople(procRoot string, now func() time.Time) *people {
	return &people{proc: procRoot, now: now, known: map[int]person{}}
}

// look says who a process is: the user who logged in where the kernel knows,
// so that an administrator's name survives sudo, else the user it runs as.
// False for a process that has ended and was not seen before.
func (p *people) look(pid int) (observers.Writer, bool) {
	now := p.now()
	who, ok := p.read(pid)
	if !ok {
		had, ok := p.known[pid]
		return had.Writer, ok && now.Sub(had.seen).Abs() < remembered
	}
	p.forget(now)
	p.known[pid] = person{Writer: who, seen: now}
	return who, true
}

// forget makes room for one more.
func (p *people) forget(now time.Time) {
	for pid, had := range p.known {
		if len(p.known) >= maxPeople || now.Sub(had.seen).Abs() >= remembered {
			delete(p.known, pid)
		}
	}
}

func (p *people) read(pid int) (observers.Writer, bool) {
	if pid <= 0 {
		return observers.Writer{}, false // in a process namespace out of sight
	}
	dir := filepath.Join(p.proc, strconv.Itoa(pid))
	comm, err := os.ReadFile(filepath.Join(dir, "comm"))
	if err != nil {
		return observers.Writer{}, false
	}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return observers.Writer{}, false
	}
	uid, ok := realUID(status)
	if !ok {
		return observers.Writer{}, false
	}
	login, err := os.ReadFile(filepath.Join(dir, "loginuid"))
	if id, perr := strconv.ParseUint(strings.TrimSpace(string(login)), 10, 32); err == nil && perr == nil && id != unset {
		uid = int(id)
	}
	return observers.Writer{UID: uid, User: userName(uid), PID: pid, Command: strings.TrimSpace(string(comm))}, true
}

// realUID is the first number of the line "Uid:" (proc_pid_status(5)).
func realUID(status []byte) (int, bool) {
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		rest, ok := strings.CutPrefix(lines.Text(), "Uid:")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return 0, false
		}
		uid, err := strconv.Atoi(fields[0])
		return uid, err == nil
	}
	return 0, false
}

func userName(uid int) string {
	id := strconv.Itoa(uid)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}
