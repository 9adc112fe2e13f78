#!/usr/bin/env python3
"""follow.py SOCKET ENTITY INDEX: keeps a search index in step with the objects of an entity. INDEX is an SQLite file:
SELECT id FROM object WHERE text MATCH 'ann'. After a restart it goes on after the last change that the index has."""
import http.client, json, socket, sqlite3, sys, time, urllib.parse

socket_path, entity, index_path = sys.argv[1:]
index = sqlite3.connect(index_path)
index.executescript("""CREATE VIRTUAL TABLE IF NOT EXISTS object USING fts5(id UNINDEXED, text);
    CREATE TABLE IF NOT EXISTS place(number INTEGER PRIMARY KEY, token TEXT)""")

class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(socket_path)

def get(path, accepted=(200,), **headers):
    connection = Connection("localhost")
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    if answer.status in accepted: return answer
    raise OSError(f"{path}: {answer.status} {answer.read().decode()}")

def put(id, values):  # None: there is no such object any more
    index.execute("DELETE FROM object WHERE id = ?", [id])
    if values is not None:
        text = " ".join(str(value) for value in values.values() if value is not None)
        index.execute("INSERT INTO object VALUES (?, ?)", [id, text])

def read_everything(after=""):
    index.execute("DELETE FROM object")
    while after is not None:
        page = json.load(get(f"/v1/objects/{entity}?limit=1000{after}"))
        for object in page["objects"]: put(object["id"], object["values"])
        after = "&after=" + urllib.parse.quote(page["next"]) if "next" in page else None

def follow():
    place = index.execute("SELECT token FROM place").fetchone()
    stream = get("/v1/changes", (200, 410), **({"Last-Event-ID": place[0]} if place else {}))
    if stream.status == 410: place, stream = None, get("/v1/changes")  # that place is no longer in the history
    event = {}
    for line in stream:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name: event[name] = value
        if name or not event: continue  # an empty line ends an event
        kind, token, data = event.get("event"), event.get("id"), json.loads(event.get("data", "{}"))
        event = {}
        if kind == "hello" and place is None: token = data["token"]
        elif kind != "storeDidUpdate": continue
        if kind == "hello" or "everything" in data or entity in data.get("collapsed", []): read_everything()
        for id in sum((data.get(verb, {}).get(entity, []) for verb in ("inserted", "updated", "deleted")), []):
            answer = get(f"/v1/objects/{entity}/{id}", (200, 404))
            put(id, json.load(answer)["values"] if answer.status == 200 else None)
        index.execute("INSERT OR REPLACE INTO place VALUES (1, ?)", [token])
        index.commit()  # the place moves in the same transaction as the index

while True:
    try: follow()
    except (OSError, http.client.HTTPException, ValueError) as error: print(f"follow.py: {error}", file=sys.stderr)
    index.rollback()
    time.sleep(1)  # the daemon has stopped, or starts
