package credential

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	fakeCollection = secretsPath + "/aliases/default"
	fakePrompt     = secretsPath + "/prompt/1"
	noPrompt       = dbus.ObjectPath("/")
)

// faulty is a Secret Service with the faults of real ones. Its fields define the
// answers.
type faulty struct {
	conn       *dbus.Conn
	open       func() *dbus.Error
	unlock     func(asked []dbus.ObjectPath) (unlocked []dbus.ObjectPath, prompt dbus.ObjectPath, err *dbus.Error)
	createItem func(token string) (prompt dbus.ObjectPath, err *dbus.Error)
	completed  dbus.Variant // result that a dismissed prompt reports
}

func (f *faulty) openSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	if f.open != nil {
		if err := f.open(); err != nil {
			return dbus.Variant{}, "", err
		}
	}
	return dbus.MakeVariant(""), secretsPath + "/session/1", nil
}

func (f *faulty) unlockObjects(asked []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	if f.unlock != nil {
		return f.unlock(asked)
	}
	return asked, noPrompt, nil
}

type secret struct {
	Session    dbus.ObjectPath
	Parameters []byte
	Value      []byte
	Type       string
}

func (f *faulty) create(_ map[string]dbus.Variant, s secret, _ bool) (dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	prompt, err := f.createItem(string(s.Value))
	return noPrompt, prompt, err
}

func (f *faulty) search(map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	return []dbus.ObjectPath{}, nil
}

// prompt reports at once that the user dismissed it.
func (f *faulty) prompt(string) *dbus.Error {
	go func() {
		_ = f.conn.Emit(fakePrompt, "org.freedesktop.Secret.Prompt.Completed", true, f.completed)
	}()
	return nil
}

// serve exports the service on the bus until the test ends.
func (f *faulty) serve(t *testing.T) {
	t.Helper()
	f.conn = connect(t)
	for _, object := range []struct {
		path      dbus.ObjectPath
		name      string
		functions map[string]any
	}{
		{secretsPath, "Service", map[string]any{"OpenSession": f.openSession, "Unlock": f.unlockObjects}},
		{fakeCollection, "Collection", map[string]any{"CreateItem": f.create, "SearchItems": f.search}},
		{fakePrompt, "Prompt", map[string]any{"Prompt": f.prompt}},
		{secretsPath + "/session/1", "Session", map[string]any{"Close": func() *dbus.Error { return nil }}},
	} {
		if err := f.conn.ExportMethodTable(object.functions, object.path, "org.freedesktop.Secret."+object.name); err != nil {
			t.Fatal(err)
		}
	}
	reply, err := f.conn.RequestName(secretsName, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("cannot own the name: %v, %v", reply, err)
	}
}

func refuse(name, text string) *dbus.Error { return dbus.NewError(name, []any{text}) }

func TestFaultySecretService(t *testing.T) {
	if !insideSession(t) {
		return
	}
	// Messages of the service may contain the token; our errors must not.
	failingWith := func(name string) *faulty {
		return &faulty{createItem: func(token string) (dbus.ObjectPath, *dbus.Error) {
			return noPrompt, refuse(name, "cannot store "+token)
		}}
	}
	withoutUnlocking := func([]dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
		return []dbus.ObjectPath{}, fakePrompt, nil
	}
	for name, tt := range map[string]struct {
		service *faulty
		want    Reason
	}{
		"locked": {&faulty{unlock: func([]dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
			return nil, noPrompt, refuse("org.freedesktop.Secret.Error.IsLocked", "locked")
		}}, ReasonLocked},
		"locked, found when writing":    {failingWith("org.freedesktop.Secret.Error.IsLocked"), ReasonLocked},
		"unlocking dismissed":           {&faulty{unlock: withoutUnlocking, completed: dbus.MakeVariant([]dbus.ObjectPath{})}, ReasonLocked},
		"unlocking dismissed, a string": {&faulty{unlock: withoutUnlocking, completed: dbus.MakeVariant("")}, ReasonLocked},
		"dismissed, reports success": {&faulty{
			unlock:     withoutUnlocking,
			completed:  dbus.MakeVariant([]dbus.ObjectPath{fakeCollection}),
			createItem: func(string) (dbus.ObjectPath, *dbus.Error) { return fakePrompt, nil },
		}, ReasonNoEffect},
		"stores nothing":            {&faulty{createItem: func(string) (dbus.ObjectPath, *dbus.Error) { return noPrompt, nil }}, ReasonNoEffect},
		"no collection":             {failingWith("org.freedesktop.Secret.Error.NoSuchObject"), ReasonAbsent},
		"denied":                    {failingWith("org.freedesktop.DBus.Error.AccessDenied"), ReasonDenied},
		"service could not start":   {failingWith("org.freedesktop.DBus.Error.Spawn.ChildExited"), ReasonAbsent},
		"no reply":                  {failingWith("org.freedesktop.DBus.Error.NoReply"), ReasonTimeout},
		"unknown error":             {failingWith("org.example.Broken"), ReasonOther},
		"no session of the service": {&faulty{open: func() *dbus.Error { return refuse("org.freedesktop.DBus.Error.NotSupported", canary) }}, ReasonAbsent},
	} {
		t.Run(name, func(t *testing.T) {
			tt.service.serve(t)
			dir := t.TempDir()
			r := Resolver{File: filepath.Join(dir, "tokens.json"), limit: patience}
			started := time.Now()
			source, err := r.Store(t.Context(), work, canary, false)
			if took := time.Since(started); source != "" || took > tooLong {
				t.Errorf("stored in %q after %v", source, took)
			}
			wantReason(t, err, tt.want)
			wantFiles(t, dir)
		})
	}
}

func TestHangingSecretService(t *testing.T) {
	if !insideSession(t) {
		return
	}
	release := make(chan struct{})
	defer close(release)
	hanging := &faulty{
		open: func() *dbus.Error { <-release; return nil },
		unlock: func([]dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
			<-release
			return nil, noPrompt, nil
		},
	}
	hanging.serve(t)
	dir := t.TempDir()
	r := Resolver{File: filepath.Join(dir, "tokens.json")}
	started := time.Now()
	var all sync.WaitGroup
	all.Go(func() { _, err := r.Token(t.Context(), work); wantReason(t, err, ReasonTimeout) })
	all.Go(func() { _, err := r.Store(t.Context(), work, canary, false); wantReason(t, err, ReasonTimeout) })
	all.Go(func() { _, err := r.Delete(t.Context(), work); wantReason(t, err, ReasonTimeout) })
	all.Wait()
	if took := time.Since(started); took > tooLong {
		t.Errorf("took %v", took)
	}
	wantFiles(t, dir)
}
