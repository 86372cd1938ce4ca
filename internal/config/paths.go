package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
)

// Env returns the value of an environment variable, or "" if it is not set.
type Env func(key string) string

// Paths are the locations of hobnob's files.
type Paths struct {
	ConfigFile string // settings; the token file is in the same directory
	DataDir    string // history
	StateDir   string // drafts written in the editor
}

// FindPaths returns the absolute paths given by $HOBNOB_CONFIG, $HOBNOB_DATA_DIR and
// $HOBNOB_STATE_DIR, or else by the XDG Base Directory Specification, which ignores
// relative paths; on Windows by %AppData% and %LocalAppData%. configFlag, if not
// empty, is the value of --config and takes precedence.
func FindPaths(env Env, goos, configFlag string) (Paths, error) {
	var p Paths
	for _, place := range []struct {
		target             *string
		given              string
		xdg, windows, home string
		file               string // below the directory of hobnob
	}{
		{&p.ConfigFile, cmp.Or(configFlag, env("HOBNOB_CONFIG")), "XDG_CONFIG_HOME", "AppData", ".config", "config.yaml"},
		{&p.DataDir, env("HOBNOB_DATA_DIR"), "XDG_DATA_HOME", "LocalAppData", ".local/share", ""},
		{&p.StateDir, env("HOBNOB_STATE_DIR"), "XDG_STATE_HOME", "LocalAppData", ".local/state", ""},
	} {
		path := place.given
		if path == "" {
			dir, err := base(env, goos, place.xdg, place.windows, place.home)
			if err != nil {
				return Paths{}, err
			}
			path = filepath.Join(dir, "hobnob", place.file)
		}
		var err error
		if *place.target, err = filepath.Abs(path); err != nil {
			return Paths{}, fmt.Errorf("cannot determine the working directory: %w", err)
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
