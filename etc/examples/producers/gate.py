#!/usr/bin/env python3
"""gate.py LOGS STATE CODE: writes what a gate counts into a log folder. Each line of the input is a number of people
who have passed, or the path of a picture. STATE is a file of its own for each producer, kept between its runs."""
import base64, hashlib, json, os, sys, time, uuid

TRANSACTIONS = 3  # of a segment; a real producer takes as many as make up to 1 MiB, or a second
logs, state_path, code = sys.argv[1:]
os.umask(0o007)  # the group of the log folder may read and write
key = bytearray(hashlib.sha256(json.dumps(["Gate", "code", code], separators=(",", ":"), ensure_ascii=False).encode()).digest()[:16])
key[6], key[8] = key[6] & 0x0F | 0x80, key[8] & 0x3F | 0x80
gate = str(uuid.UUID(bytes=bytes(key)))  # follows from the code: every producer means the same object

def sync_folder(path):
    folder = os.open(path, os.O_RDONLY)
    os.fsync(folder), os.close(folder)

def write(path, data):
    with open(path, "wb") as file:
        file.write(data), file.flush(), os.fsync(file.fileno())

def stage(data):
    os.makedirs(f"{logs}/.staging", exist_ok=True)
    path = f"{logs}/.staging/{uuid.uuid4()}"
    write(path, data)
    return path

def publish(staged, path):  # gives a whole file its name, which never has another content
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path): os.unlink(staged)
    else: os.rename(staged, path)
    sync_folder(os.path.dirname(path)), sync_folder(logs)

def remember():
    write(state_path + ".new", json.dumps(state).encode())
    os.replace(state_path + ".new", state_path), sync_folder(os.path.dirname(os.path.abspath(state_path)))

def blob(data):  # small bytes stand in the segment, large ones beside it and in place before it
    if len(data) <= 65536: return base64.b64encode(data).decode()
    name = hashlib.sha256(data).hexdigest()
    publish(stage(data), f"{logs}/{state['writer']}/blobs/{name}")
    return {"blob": name, "size": len(data)}

def write_segment(transactions):
    first, last = state["next"], state["next"] + len(transactions) - 1
    lines = [{"tributary": 1, "writer": state["writer"], "name": f"gate {code}", "first": first, "last": last,
              "previous": state["previous"], "model": "1"}]
    for number, changes in enumerate(transactions, first):
        state["clock"] = max(time.time_ns() // 1_000_000 << 16, state["clock"] + 1)  # never less than before
        lines += [{"transaction": number, "clock": f"{state['clock']:016x}", "changes": len(changes)}, *changes]
    text = "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines).encode()
    digest = hashlib.sha256(text).hexdigest()
    end = {"end": last, "transactions": len(transactions), "changes": sum(map(len, transactions)), "sha256": digest}
    staged = stage(text + json.dumps(end, separators=(",", ":")).encode() + b"\n")
    # First the state, then the name: a producer that ends in between publishes this very file when it starts again.
    state.update(next=last + 1, previous=digest, staged=staged, path=f"{logs}/{state['writer']}/{first:016x}-{last:016x}.tlog")
    remember(), publish(state["staged"], state["path"])

waiting = []
if os.path.exists(state_path):
    state = json.load(open(state_path))
    if os.path.exists(state["staged"]): publish(state["staged"], state["path"])
else:  # without its state it cannot know its last number: it is a new writer
    state = {"writer": str(uuid.uuid4()), "next": 1, "clock": 0, "previous": None}
    waiting.append([{"insert": "Gate", "id": gate, "values": {"code": code}}])
for line in map(str.strip, sys.stdin):
    value = {"passed": {"increment": int(line)}} if line.isdigit() else {"picture": blob(open(line, "rb").read())}
    waiting.append([{"update": "Gate", "id": gate, "values": value}])
    if len(waiting) == TRANSACTIONS: write_segment(waiting), waiting.clear()
if waiting: write_segment(waiting)
