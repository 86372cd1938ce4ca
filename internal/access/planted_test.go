package access

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCheckPlanted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	for name, c := range map[string]struct {
		dir, file         os.FileMode
		dirOwner, fileOwn int // -1 for the current user; others need root
		want              string
	}{
		"own":                              {0o755, 0o644, -1, -1, ""},
		"group can write":                  {0o775, 0o664, -1, -1, ""},
		"all can write the directory":      {0o777, 0o644, -1, -1, "other users can write to DIR (mode 0777)"},
		"all can create files":             {0o777 | os.ModeSticky, 0o644, -1, -1, ""},
		"all can write the file":           {0o755, 0o646, -1, -1, "other users can write to DIR/file (mode 0646)"},
		"directory of another user":        {0o755, 0o644, 12345, 12345, ""},
		"own file in another's directory":  {0o755, 0o644, 12345, -1, ""},
		"another's file":                   {0o755, 0o644, -1, 12345, "DIR/file is owned by user 12345, who does not own its directory"},
		"another's file in a shared place": {0o777 | os.ModeSticky, 0o644, -1, 12345, "DIR/file is owned by user 12345"},
	} {
		t.Run(name, func(t *testing.T) {
			if (c.dirOwner >= 0 || c.fileOwn >= 0) && os.Geteuid() != 0 {
				t.Skip("needs root")
			}
			dir := filepath.Join(t.TempDir(), "dir")
			file := filepath.Join(dir, "file")
			for _, err := range []error{os.Mkdir(dir, 0o700), os.WriteFile(file, nil, 0o600), os.Chown(dir, c.dirOwner, -1), os.Chown(file, c.fileOwn, -1), os.Chmod(file, c.file), os.Chmod(dir, c.dir)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			got := CheckPlanted(file)
			want := strings.ReplaceAll(c.want, "DIR", dir)
			if (got == nil) != (want == "") || got != nil && (!strings.HasPrefix(got.Detail, want) || got.Fix == "") {
				t.Errorf("%+v, want %q", got, want)
			}
		})
	}
}
