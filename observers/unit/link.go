package unit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	sdbus "github.com/coreos/go-systemd/v22/dbus"
	"github.com/godbus/dbus/v5"

	"corehost/observers"
)

// Names of the manager on the bus.
const (
	managerName  = "org.freedesktop.systemd1"
	managerPath  = dbus.ObjectPath("/org/freedesktop/systemd1")
	managerIface = "org.freedesktop.systemd1.Manager"
	propsIface   = "org.freedesktop.DBus.Properties"
	busName      = "org.freedesktop.DBus"
	ownerChanged = "NameOwnerChanged"
)

// link is one connection to the service manager: calls go through go-systemd,
// signals come over the bus connection beneath it.
type link struct {
	manager *sdbus.Conn
	bus     *dbus.Conn
	isBus   bool // false: the manager's own socket, which sends every signal
}

// dial connects over the system bus, or without one (as root) over the
// manager's own socket. It is bounded by ctx; the connection outlives it.
func dial(ctx context.Context, run string) (*link, error) {
	if _, err := os.Stat(filepath.Join(run, "systemd/system")); errors.Is(err, fs.ErrNotExist) { // sd_booted(3)
		return nil, errNoManager
	}
	l, err := dialAt(ctx, filepath.Join(run, "dbus/system_bus_socket"), true)
	if err == nil || ctx.Err() != nil {
		return l, err
	}
	if own, second := dialAt(ctx, filepath.Join(run, "systemd/private"), false); second == nil {
		return own, nil
	}
	return nil, err
}

// dialAt connects to one socket. The library waits for some answers without a
// bound of its own, so the connection is cut when ctx ends first.
func dialAt(ctx context.Context, socket string, isBus bool) (*link, error) {
	life, cut := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, cut)
	l := &link{isBus: isBus}
	manager, err := sdbus.NewConnection(func() (*dbus.Conn, error) {
		conn, err := open(life, socket, isBus)
		if l.bus == nil {
			l.bus = conn
		}
		return conn, err
	})
	if !stop() {
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		cut()
		return nil, err
	}
	l.manager = manager
	context.AfterFunc(l.bus.Context(), cut)
	return l, nil
}

// open makes one connection that is ready for use.
func open(life context.Context, socket string, isBus bool) (*dbus.Conn, error) {
	conn, err := dbus.Dial("unix:path="+dbus.EscapeBusAddressValue(socket), dbus.WithContext(life))
	if err != nil {
		return nil, err
	}
	err = conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Geteuid()))})
	if err == nil && isBus {
		err = conn.Hello()
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

func (l *link) readAll(ctx context.Context, names []string) ([]observers.Unit, error) {
	units := make([]observers.Unit, 0, len(names))
	for _, name := range names {
		unit, err := l.read(ctx, name)
		if err != nil {
			return nil, err
		}
		units = append(units, unit)
	}
	return units, nil
}

// refusals are the manager's answers to a name it does not take.
var refusals = []string{
	managerName + ".NoSuchUnit",
	"org.freedesktop.DBus.Error.UnknownObject",
	"org.freedesktop.DBus.Error.InvalidArgs",
}

// read asks for one unit. A name the manager does not take is a unit with an
// error; any other failure is one of the connection.
func (l *link) read(ctx context.Context, name string) (observers.Unit, error) {
	props, err := l.manager.GetAllPropertiesContext(ctx, serviceName(name))
	var refused dbus.Error
	if errors.As(err, &refused) && slices.Contains(refusals, refused.Name) {
		return observers.Unit{Name: name, Load: "error", Active: "inactive", Sub: "dead"}, nil
	}
	if err != nil {
		return observers.Unit{}, fmt.Errorf("read unit %q: %w", name, err)
	}
	return convert(name, props), nil
}

// subscribe has the manager send signals at all, has its own come here, and
// the bus tell when another manager takes its place, as after
// `systemctl daemon-reexec`.
func (l *link) subscribe(ctx context.Context) error {
	for _, member := range []string{"Reloading", "UnitFilesChanged"} {
		if err := l.match(ctx, managerPath, managerIface, member); err != nil {
			return err
		}
	}
	if l.isBus {
		err := l.bus.AddMatchSignalContext(ctx, dbus.WithMatchSender(busName), dbus.WithMatchInterface(busName),
			dbus.WithMatchMember(ownerChanged), dbus.WithMatchArg(0, managerName))
		if err != nil {
			return err
		}
	}
	return l.ask(ctx)
}

// ask has the manager that is there now send signals.
func (l *link) ask(ctx context.Context) error {
	err := l.bus.Object(managerName, managerPath).CallWithContext(ctx, managerIface+".Subscribe", 0).Err
	var refused dbus.Error
	if errors.As(err, &refused) && refused.Name == managerName+".AlreadySubscribed" {
		return nil
	}
	return err
}

// watch has the changes of one unit come here.
func (l *link) watch(ctx context.Context, name string) error {
	return l.match(ctx, objectPath(name), propsIface, "PropertiesChanged")
}

func (l *link) match(ctx context.Context, path dbus.ObjectPath, iface, member string) error {
	if !l.isBus {
		return nil
	}
	return l.bus.AddMatchSignalContext(ctx, dbus.WithMatchSender(managerName),
		dbus.WithMatchObjectPath(path), dbus.WithMatchInterface(iface), dbus.WithMatchMember(member))
}

// serviceName is the manager's name of a unit.
func serviceName(name string) string { return name + ".service" }

// objectPath is where the manager keeps a unit.
func objectPath(name string) dbus.ObjectPath {
	return managerPath + "/unit/" + dbus.ObjectPath(sdbus.PathBusEscape(serviceName(name)))
}
