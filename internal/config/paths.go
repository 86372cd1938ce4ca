package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
)

// Env looks up an environment variable; an unset one is empty.
type Env func(key string) string

// Paths are the places where hobnob keeps its files.
type Paths struct {
	ConfigFile string // settings; also the home of the token file
	DataDir    string // history
	StateDir   string // drafts written in the editor
}

// FindPaths applies $HOBNOB_CONFIG, $HOBNOB_DATA_DIR and $HOBNOB_STATE_DIR, then
// the XDG Base Directory Specification (which says that relative paths are to be
// ignored), on every Unix; on Windows %AppData% and %LocalAppData%. A non-empty
// configFlag is the value of --config and comes first.
func FindPaths(env Env, goos, configFlag string) (Paths, error) {
	var p Paths
	var err error
	if p.ConfigFile = cmp.Or(configFlag, env("HOBNOB_CONFIG")); p.ConfigFile == "" {
		dir, derr := base(env, goos, "XDG_CONFIG_HOME", "AppData", ".config")
		p.ConfigFile, err = filepath.Join(dir, "hobnob", "config.yaml"), derr
	}
	if p.DataDir = env("HOBNOB_DATA_DIR"); p.DataDir == "" && err == nil {
		dir, derr := base(env, goos, "XDG_DATA_HOME", "LocalAppData", filepath.Join(".local", "share"))
		p.DataDir, err = filepath.Join(dir, "hobnob"), derr
	}
	if p.StateDir = env("HOBNOB_STATE_DIR"); p.StateDir == "" && err == nil {
		dir, derr := base(env, goos, "XDG_STATE_HOME", "LocalAppData", filepath.Join(".local", "state"))
		p.StateDir, err = filepath.Join(dir, "hobnob"), derr
	}
	if err != nil {
		return Paths{}, err
	}
	for _, path := range []*string{&p.ConfigFile, &p.DataDir, &p.StateDir} {
		if *path, err = filepath.Abs(*path); err != nil {
			return Paths{}, fmt.Errorf("cannot find the working directory: %w", err)
		}
	}
	return p, nil
}

func base(env Env, goos, xdg, windows, home string) (string, error) {
	if dir := env(xdg); filepath.IsAbs(dir) {
		return dir, nil
	}
	if goos == "windows" {
		if dir := env(windows); dir != "" {
			return dir, nil
		}
		return "", fmt.Errorf("%%%s%% is not set", windows)
	}
	if dir := env("HOME"); dir != "" {
		return filepath.Join(dir, home), nil
	}
	return "", errors.New("$HOME is not set")
}
