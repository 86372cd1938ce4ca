package sqlite

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// Sizes of the log header and of a frame header, in bytes
// (https://www.sqlite.org/fileformat2.html#walformat).
const (
	logHeader   = 32
	frameHeader = 24
)

// logMagic is the magic number of the log; its last bit is the byte order of the checksums.
const logMagic = 0x377f0682

// LogChecksum is the cumulative checksum of the log: the checksum of a frame continues
// that of the previous frame.
type LogChecksum [2]uint32

// Add continues the checksum with data, whose length must be a multiple of 8.
func (c LogChecksum) Add(order binary.ByteOrder, data []byte) LogChecksum {
	for i := 0; i+8 <= len(data); i += 8 {
		c[0] += order.Uint32(data[i:]) + c[1]
		c[1] += order.Uint32(data[i+4:]) + c[0]
	}
	return c
}

// StoredLogChecksum reads a checksum from the log.
func StoredLogChecksum(data []byte) LogChecksum {
	return LogChecksum{binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])}
}

// Before a log is reported as damaged, it is read again, because another process may be
// writing it.
const (
	logReads = 4
	logPause = 20 * time.Millisecond
)

// checkLog returns ErrDamaged if the log of the database at path has committed frames
// after a damaged part. SQLite would ignore them silently and overwrite them with the
// next commit. A log that ends with an incomplete transaction is intact.
func checkLog(ctx context.Context, path string) error {
	target, err := atomicfile.Target(path) // the log is next to it
	if err != nil {
		return err
	}
	for read := 1; ; read++ {
		lost, stable, err := lostFrames(target + "-wal")
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || lost == 0:
			return err
		case stable && read >= logReads:
			return fmt.Errorf("%w: its write-ahead log is damaged before %d committed frames", ErrDamaged, lost)
		case read > 4*logReads:
			return nil // other processes restart the log, so they can read it
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(logPause):
		}
	}
}

// lostFrames returns the number of committed frames after a damaged part of the log.
// stable is false if another process restarted the log during the call.
func lostFrames(path string) (lost int, stable bool, err error) {
	f, err := input.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = f.Close() }()
	var header, again [logHeader]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return 0, false, unlessShort(err)
	}
	if lost, err = countLost(bufio.NewReaderSize(f, 1<<18), header); err == nil {
		_, err = f.ReadAt(again[:], 0)
	}
	return lost, header == again, unlessShort(err)
}

// unlessShort returns err, or nil if it means that the file is too short, as a new log is.
func unlessShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// countLost reads the frames after the header and returns the number of lost ones.
func countLost(in io.Reader, header [logHeader]byte) (lost int, err error) {
	size := binary.BigEndian.Uint32(header[8:])
	if size < 512 || size > 1<<16 {
		size = 4096 // the header is damaged; this is the page size of all databases of hobnob
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if header[3]&1 != 0 {
		order = binary.BigEndian
	}
	sum := StoredLogChecksum(header[24:])
	intact := binary.BigEndian.Uint32(header[:])&^1 == logMagic && (LogChecksum{}).Add(order, header[:24]) == sum
	salts := [8]byte(header[16:24])
	frame, after := make([]byte, frameHeader+size), 0
	for first := true; ; first = false {
		if _, err := io.ReadFull(in, frame); err != nil {
			return lost, unlessShort(err)
		}
		if first && !intact {
			salts = [8]byte(frame[8:16])
		}
		stored := StoredLogChecksum(frame[16:])
		valid := [8]byte(frame[8:16]) == salts && sum.Add(order, frame[:8]).Add(order, frame[frameHeader:]) == stored
		if sum = stored; !valid {
			intact = false
			continue
		}
		if !intact {
			after++
		}
		if !intact && binary.BigEndian.Uint32(frame[4:]) != 0 {
			lost = after
		}
	}
}
