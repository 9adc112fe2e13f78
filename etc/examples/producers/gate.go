// gate.go LOGS STATE CODE: writes what a gate counts into a log folder. Each line of the input is a number of people who
// have passed, or the path of a picture. STATE is a file of its own for each producer, kept between its runs.
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const transactions = 3 // of a segment; a real producer takes as many as make up to 1 MiB, or a second

type object map[string]any

type state struct {
	Writer, Staged, Path string
	Next                 int64
	Clock                uint64
	Previous             *string
}

type producer struct {
	state
	logs, statePath, code string
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate.go:", err)
		os.Exit(74)
	}
}

func must[Value any](value Value, err error) Value { check(err); return value }

func encode(value any) string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	check(encoder.Encode(value)) // with a line feed
	return buffer.String()
}

func digest(data []byte) string { sum := sha256.Sum256(data); return hex.EncodeToString(sum[:]) }

func uuid(data []byte, version byte) string {
	data[6], data[8] = data[6]&0x0f|version<<4, data[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", data[:4], data[4:6], data[6:8], data[8:10], data[10:16])
}

func random() string { data := make([]byte, 16); must(rand.Read(data)); return uuid(data, 4) }

func syncFolder(path string) {
	folder := must(os.Open(path))
	check(folder.Sync())
	check(folder.Close())
}

func write(path string, data []byte) {
	file := must(os.Create(path))
	must(file.Write(data))
	check(file.Sync())
	check(file.Close())
}

func (p *producer) stage(data []byte) string {
	check(os.MkdirAll(p.logs+"/.staging", 0o770))
	path := p.logs + "/.staging/" + random()
	write(path, data)
	return path
}

// publish gives a whole file its name, which never has another content.
func (p *producer) publish(staged, path string) {
	check(os.MkdirAll(filepath.Dir(path), 0o770))
	if _, err := os.Stat(path); err == nil {
		check(os.Remove(staged))
	} else {
		check(os.Rename(staged, path))
	}
	syncFolder(filepath.Dir(path))
	syncFolder(p.logs)
}

func (p *producer) remember() {
	write(p.statePath+".new", must(json.Marshal(p.state)))
	check(os.Rename(p.statePath+".new", p.statePath))
	syncFolder(filepath.Dir(p.statePath))
}

// blob keeps small bytes in the segment, and large ones beside it and in place before it.
func (p *producer) blob(data []byte) any {
	if len(data) <= 65536 {
		return base64.StdEncoding.EncodeToString(data)
	}
	name := digest(data)
	p.publish(p.stage(data), fmt.Sprintf("%s/%s/blobs/%s", p.logs, p.Writer, name))
	return object{"blob": name, "size": len(data)}
}

func (p *producer) writeSegment(changes []object) {
	first, last := p.Next, p.Next+int64(len(changes))-1
	text := encode(object{"tributary": 1, "writer": p.Writer, "name": "gate " + p.code, "first": first, "last": last,
		"previous": p.Previous, "model": "1"})
	for index, change := range changes {
		p.Clock++
		if now := uint64(time.Now().UnixMilli()) << 16; now > p.Clock { // never less than before
			p.Clock = now
		}
		text += encode(object{"transaction": first + int64(index), "clock": fmt.Sprintf("%016x", p.Clock), "changes": 1})
		text += encode(change)
	}
	sum := digest([]byte(text))
	end := encode(object{"end": last, "transactions": len(changes), "changes": len(changes), "sha256": sum})
	p.Staged = p.stage([]byte(text + end))
	p.Path = fmt.Sprintf("%s/%s/%016x-%016x.tlog", p.logs, p.Writer, first, last)
	// First the state, then the name: a producer that ends in between publishes this very file when it starts again.
	p.Next, p.Previous = last+1, &sum
	p.remember()
	p.publish(p.Staged, p.Path)
}

func main() {
	syscall.Umask(0o007) // the group of the log folder may read and write
	p := &producer{logs: os.Args[1], statePath: os.Args[2], code: os.Args[3]}
	key := sha256.Sum256([]byte(strings.TrimSuffix(encode([]string{"Gate", "code", p.code}), "\n")))
	gate := uuid(key[:16], 8) // follows from the code: every producer means the same object
	var waiting []object
	if data, err := os.ReadFile(p.statePath); err == nil {
		check(json.Unmarshal(data, &p.state))
		if _, err := os.Stat(p.Staged); err == nil {
			p.publish(p.Staged, p.Path)
		}
	} else if errors.Is(err, os.ErrNotExist) { // it cannot know its last number: it is a new writer
		p.Writer, p.Next = random(), 1
		waiting = append(waiting, object{"insert": "Gate", "id": gate, "values": object{"code": p.code}})
	} else {
		check(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var values object
		if count, err := strconv.ParseUint(lines.Text(), 10, 32); err == nil {
			values = object{"passed": object{"increment": count}}
		} else {
			values = object{"picture": p.blob(must(os.ReadFile(lines.Text())))}
		}
		waiting = append(waiting, object{"update": "Gate", "id": gate, "values": values})
		if len(waiting) == transactions {
			p.writeSegment(waiting)
			waiting = nil
		}
	}
	check(lines.Err())
	if len(waiting) > 0 {
		p.writeSegment(waiting)
	}
}
