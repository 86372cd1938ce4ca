package credential

import (
	"context"
	"errors"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

// Copy copies the stored token or login of a key to another key, in the same place. It returns
// an empty Source if no token is stored or no keyring is available.
func (r Resolver) Copy(ctx context.Context, from, to Key) (Source, error) {
	token, err := r.lookup(ctx, from)
	switch {
	case errors.Is(err, ErrNoToken), IsAbsent(err):
		return "", nil
	case err != nil:
		return "", err
	}
	return r.store(ctx, to, token, token.Source() == SourceFile)
}

// DeleteProfile is like Delete, but removes the profile's tokens for every origin from
// the file and ignores a missing keyring. With an empty Origin, it searches only the
// file.
func (r Resolver) DeleteProfile(ctx context.Context, key Key) (from []Source, err error) {
	if key.Origin != "" {
		if from, err = r.Delete(ctx, key); err != nil && !IsAbsent(err) {
			return from, err
		}
	}
	entries, err := readFile(r.File)
	if atomicfile.Missing(err) {
		return from, nil
	}
	if err != nil {
		return from, &FileError{r.File, err}
	}
	ofProfile := func(e fileEntry) bool { return e.Profile == key.Profile }
	if !slices.ContainsFunc(entries, ofProfile) {
		return from, nil
	}
	if err := changeFile(r.File, func(entries []fileEntry) []fileEntry { return slices.DeleteFunc(entries, ofProfile) }); err != nil {
		return from, err
	}
	if !slices.Contains(from, SourceFile) {
		from = append(from, SourceFile)
	}
	return from, nil
}
