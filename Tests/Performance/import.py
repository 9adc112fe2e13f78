"""The import that one would write in Python: reads a segment, puts its inserts of employees into a SQLite table.

Prints the seconds that passed, and those of processor time, from opening the segment to the last commit; the start of the
interpreter is not in them. It checks no hash and keeps no versions.
"""
import json
import sqlite3
import sys
import time

segment, path = sys.argv[1:]
connection = sqlite3.connect(path, isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
for pragma in ("synchronous = FULL", "cache_size = -24576", "temp_store = MEMORY"):
    connection.execute("PRAGMA " + pragma)
connection.execute(
    "CREATE TABLE Employee(_id BLOB NOT NULL UNIQUE, name TEXT, note TEXT, salary REAL, hired REAL, badge INTEGER, active INTEGER)"
)
clock, processor = time.perf_counter(), time.process_time()


def commit(rows):
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO Employee VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    connection.execute("COMMIT")


rows = []
with open(segment) as lines:
    for line in lines:
        change = json.loads(line)
        if "insert" not in change:
            continue
        values = change["values"]
        identifier = bytes.fromhex(change["id"].replace("-", ""))
        rows.append((identifier, values["name"], values["note"], values["salary"], values["hired"], values["badge"], values["active"]))
        if len(rows) == 20000:
            commit(rows)
            rows = []
commit(rows)
print(time.perf_counter() - clock, time.process_time() - processor)
connection.close()
