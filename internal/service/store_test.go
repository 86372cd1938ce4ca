package service_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

func TestSQLiteStore(t *testing.T) {
	for name, path := range map[string]string{"file": filepath.Join(t.TempDir(), "service.db"), "memory": sqlite.Memory} {
		t.Run(name, func(t *testing.T) {
			store, err := service.OpenSQLite(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = store.Close() }()
			testStore(t, store)
		})
	}
}

// testStore checks a Store.
func testStore(t *testing.T, store service.Store) {
	if list, more, err := store.List(t.Context(), "a", 10); err != nil || len(list) != 0 || more {
		t.Errorf("an empty store lists %v, %v, %v", list, more, err)
	}
	var made []service.Conversation
	for i := range 5 {
		c := service.Conversation{ID: uuid.NewString(), AgentID: "agent", Title: fmt.Sprintf("title %d \x00 日本", i), Created: 1.25 + float64(i)}
		if err := store.Create(t.Context(), "a", c); err != nil {
			t.Fatal(err)
		}
		made = append(made, c)
	}
	if err := store.Create(t.Context(), "b", service.Conversation{ID: uuid.NewString()}); err != nil {
		t.Fatal(err)
	}
	if err := store.Create(t.Context(), "b", made[0]); err == nil {
		t.Error("Create accepted a duplicate id")
	}
	list, more, err := store.List(t.Context(), "a", 3)
	if err != nil || !more || len(list) != 3 {
		t.Fatalf("listed %d, %v, %v", len(list), more, err)
	}
	for i, c := range list {
		if c != made[4-i] {
			t.Errorf("row %d is %+v, want %+v", i, c, made[4-i])
		}
	}
	if list, more, _ := store.List(t.Context(), "a", 5); len(list) != 5 || more {
		t.Errorf("listed %d rows, more %v; want 5, false", len(list), more)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := store.Create(t.Context(), "c", service.Conversation{ID: uuid.NewString()}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if list, _, _ := store.List(t.Context(), "c", 100); len(list) != 20 {
		t.Errorf("listed %d of 20 rows created at the same time", len(list))
	}
}
