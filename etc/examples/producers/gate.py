#!/usr/bin/env python3
"""gate.py LOGS STATE CODE: writes what a gate counts into a log folder. Each line of the input is a number of people
who have passed, or the path of a picture. STATE is a file of its own for each producer, kept between its runs.

As a module, `from gate import SegmentWriter, identifier` gives what any producer needs. It is to be copied."""
import base64, hashlib, json, os, sys, time, uuid

TRANSACTIONS = 3  # of a segment; a real producer takes as many as make up to 1 MiB, or a second


def identifier(entity, **key):
    """The UUID of the object with a natural key, a string, integer or boolean for each property: the same for every producer."""
    parts = [entity] + [part for name in sorted(key, key=str.encode) for part in (name, key[name])]
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=False)
    digest = bytearray(hashlib.sha256(text.encode()).digest()[:16])
    digest[6], digest[8] = digest[6] & 0x0F | 0x80, digest[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))


class SegmentWriter:
    """Writes segments as one writer, which is new where there is no file at `state`. One process at a time may use a state.

    The files have the rights that the umask leaves: 0007 lets the group of the log folder read and write."""

    def __init__(self, logs, state, name, model=None):
        self.logs, self.state_path, self.name, self.model = logs, state, name, model
        self.is_new = not os.path.exists(state)
        if self.is_new:  # without its state it cannot know its last number: it is a new writer
            self.state = {"writer": str(uuid.uuid4()), "next": 1, "clock": 0, "previous": None}
            return
        with open(state) as file:
            self.state = json.load(file)
        self._finish()

    def write(self, transactions):
        """Writes a segment of transactions, each a list of changes with the deletions first, and returns its path.

        When this returns, the segment is on the disk under its name. After an exception the writer may be used again."""
        self._finish()
        state, first = dict(self.state), self.state["next"]
        last = first + len(transactions) - 1
        header = {"tributary": 1, "writer": state["writer"], "name": self.name, "first": first, "last": last,
                  "previous": state["previous"], "model": self.model}
        lines = [{key: value for key, value in header.items() if value is not None or key == "previous"}]
        for number, changes in enumerate(transactions, first):
            state["clock"] = max(time.time_ns() // 1_000_000 << 16, state["clock"] + 1)  # never less than before
            lines += [{"transaction": number, "clock": f"{state['clock']:016x}", "changes": len(changes)}, *changes]
        text = "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines).encode()
        digest = hashlib.sha256(text).hexdigest()
        end = {"end": last, "transactions": len(transactions), "changes": sum(map(len, transactions)), "sha256": digest}
        staged = self._stage(text + json.dumps(end, separators=(",", ":")).encode() + b"\n")
        path = f"{self.logs}/{state['writer']}/{first:016x}-{last:016x}.tlog"
        # First the state, then the name: a producer that ends in between publishes this very file when it starts again.
        state.update(next=last + 1, previous=digest, staged=staged, path=path)
        self._remember(state)
        self._publish(staged, path)
        return path

    def blob(self, data):
        """The value of bytes: small ones stand in the segment, large ones beside it and in place before it."""
        if len(data) <= 65536:
            return base64.b64encode(data).decode()
        name = hashlib.sha256(data).hexdigest()
        self._publish(self._stage(data), f"{self.logs}/{self.state['writer']}/blobs/{name}")
        return {"blob": name, "size": len(data)}

    def _finish(self):  # what a crash or an exception has interrupted
        if os.path.exists(self.state.get("staged", "")):
            self._publish(self.state["staged"], self.state["path"])

    def _stage(self, data):
        os.makedirs(f"{self.logs}/.staging", exist_ok=True)
        path = f"{self.logs}/.staging/{uuid.uuid4()}"
        self._write(path, data)
        return path

    def _publish(self, staged, path):  # gives a whole file its name, which never has another content
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            os.unlink(staged)
        else:  # nobody else writes under this UUID, so nothing can be replaced
            os.rename(staged, path)
        self._sync_folder(os.path.dirname(path))
        self._sync_folder(self.logs)

    def _remember(self, state):
        self._write(self.state_path + ".new", json.dumps(state).encode())
        os.replace(self.state_path + ".new", self.state_path)
        self._sync_folder(os.path.dirname(os.path.abspath(self.state_path)))
        self.state, self.is_new = state, False

    @staticmethod
    def _write(path, data):
        with open(path, "wb") as file:
            file.write(data), file.flush(), os.fsync(file.fileno())

    @staticmethod
    def _sync_folder(path):
        folder = os.open(path, os.O_RDONLY)
        os.fsync(folder), os.close(folder)


def main(logs, state, code, lines):
    os.umask(0o007)
    writer = SegmentWriter(logs, state, f"gate {code}", model="1")
    gate = identifier("Gate", code=code)
    waiting = [[{"insert": "Gate", "id": gate, "values": {"code": code}}]] if writer.is_new else []
    for line in map(str.strip, lines):
        value = {"passed": {"increment": int(line)}} if line.isdigit() else {"picture": writer.blob(open(line, "rb").read())}
        waiting.append([{"update": "Gate", "id": gate, "values": value}])
        if len(waiting) == TRANSACTIONS:
            writer.write(waiting), waiting.clear()
    if waiting:
        writer.write(waiting)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: gate.py LOGS STATE CODE")
    main(*sys.argv[1:], sys.stdin)
