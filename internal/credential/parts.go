package credential

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	keyring "github.com/zalando/go-keyring"
)

const (
	// maxPart is the size of a part in bytes. Windows stores 2560 bytes, and go-keyring
	// on macOS about 3000 with all names, but the two tokens of a login may be longer.
	maxPart  = 2048
	maxParts = 16
	// partsFormat is the entry of a value in parts: slot, number of parts and checksum.
	// The space distinguishes it from every token.
	partsFormat = "parts %d %d %s"
)

// parted stores values that are too long for a Keyring in parts. There are two slots of
// parts, and the entry of the user names the valid one, so it changes at once.
type parted struct{ Keyring }

// parts describes a value in parts.
type parts struct {
	slot, count int
	sum         string
}

// partsIn returns the parts that an entry names. It reports false for another entry.
func partsIn(entry string) (p parts, ok bool) {
	n, err := fmt.Sscanf(entry, partsFormat, &p.slot, &p.count, &p.sum)
	return p, n == 3 && err == nil && p.count > 0 && p.count <= maxParts
}

func checksum(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

// users returns the names of the parts' entries. An origin contains no spaces, so no
// other entry has such a name.
func (p parts) users(user string) []string {
	var names []string
	for i := range p.count {
		names = append(names, fmt.Sprintf("%s part %d.%d", user, p.slot, i+1))
	}
	return names
}

// Get returns the value of a user.
func (k parted) Get(service, user string) (string, error) {
	for range 2 { // another process may replace the value meanwhile
		entry, err := k.Keyring.Get(service, user)
		p, ok := partsIn(entry)
		if err != nil || !ok {
			return entry, err
		}
		var value strings.Builder
		for _, name := range p.users(user) {
			part, err := k.Keyring.Get(service, name)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return "", err
			}
			value.WriteString(part)
		}
		if checksum(value.String()) == p.sum {
			return value.String(), nil
		}
	}
	return "", &KeyringError{Reason: ReasonOther, Detail: "incomplete entry"}
}

// Set stores a value, in parts if it is too long for one entry.
func (k parted) Set(service, user, value string) error {
	entry, _ := k.Keyring.Get(service, user)
	old, wasParted := partsIn(entry)
	err := k.Keyring.Set(service, user, value)
	if errors.Is(err, keyring.ErrSetDataTooBig) {
		err = k.setParts(service, user, value, parts{slot: 1 - old.slot&1, sum: checksum(value)})
	}
	if err == nil && wasParted {
		_ = k.remove(service, old.users(user)) // the new value is stored and valid
	}
	return err
}

func (k parted) setParts(service, user, value string, p parts) error {
	chunks := slices.Collect(slices.Chunk([]byte(value), maxPart))
	if p.count = len(chunks); p.count > maxParts {
		return keyring.ErrSetDataTooBig
	}
	for i, name := range p.users(user) {
		if err := k.Keyring.Set(service, name, string(chunks[i])); err != nil {
			return err
		}
	}
	return k.Keyring.Set(service, user, fmt.Sprintf(partsFormat, p.slot, p.count, p.sum))
}

// Delete deletes the value of a user.
func (k parted) Delete(service, user string) error {
	entry, _ := k.Keyring.Get(service, user)
	if p, ok := partsIn(entry); ok {
		if err := k.remove(service, p.users(user)); err != nil {
			return err
		}
	}
	return k.Keyring.Delete(service, user)
}

func (k parted) remove(service string, users []string) error {
	for _, user := range users {
		if err := k.Keyring.Delete(service, user); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}
