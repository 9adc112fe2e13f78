"""NewMachine.md, Compaction.md: a machine without a large value, and data that one machine alone has."""
import base64, json, os, re

from walk_machines import LOGS
from walk_stories import exchange, new_machine


def blob(walk, north, south, third):
    """A new machine lacks a large value that a baseline names: NewMachine.md."""
    photo = base64.b64encode(os.urandom(200_000)).decode()
    with open(f"{north.shared}/photo.jsonl", "w") as file:
        file.write(json.dumps({"insert": "Employee", "values": {"name": "Photo", "photo": photo}}) + "\n")
    north.knows("tributaryctl apply /walk/photo.jsonl && tributaryctl sync")
    south.save("South")
    walk.agree(north, south)
    writer = north.writer()
    segment = sorted(north.files(f"*/{writer}/*.tlog"))[0]
    walk.verify(north)
    new_machine(third, "till", north)
    north.carry(third, "*.tlog", "*/blobs")
    third.knows("sudo systemctl start tributaryd.service")
    large = os.path.basename(north.files("*/blobs/*").pop())
    walk.shows(third, "NewMachine", "status: blob", WRITER=writer)
    shown = walk.block(third, "NewMachine", "blob", kind="test", values={"SEGMENT": segment})
    pattern = walk.pattern("NewMachine", "output: blob", BLOB=large)
    walk.expect(pattern.search(shown), "the answer names the large value that is missing", shown)
    walk.expect(not third.has("Photo"), "the baseline is not joined without the large value")
    north.carry(third, "*.tlog")
    walk.block(third, "NewMachine", "join", kind="test")
    walk.expect(third.has("Photo"), "the baseline is joined")

    def both():
        exchange(north, south, third)
    walk.agree(north, south, third, carry=both)


def accept(walk, north, south, third):
    """A machine's segments are lost before any other reads them, and its baseline is accepted: Compaction.md."""
    north.unplug()
    before = north.files(f"*/{north.writer()}/*.tlog")
    north.save("Alone")
    for file in north.files(f"*/{north.writer()}/*.tlog") - before:
        north.knows(f"sudo rm {LOGS}/{file}")
    north.knows("sudo tributaryctl compact")
    north.plug()
    baseline = walk.type_until(south, "Compaction", "tributaryctl status", re.compile(r"baseline accept (\S+)"))[1]
    walk.shows(south, "Compaction", "status: accept", BASELINE=baseline)
    shown = south.knows("tributaryctl status")
    walk.expect("writer abandon" not in shown, "no hint is to abandon the writer", shown)
    walk.block(south, "Compaction", "accept", kind="test", values={"BASELINE": baseline})
    walk.agree(north, south)
    walk.expect(south.has("Alone"), "the other machine has what one machine alone had")
    walk.until("there is no problem left", lambda: north.types("sudo tributaryctl status --check")[0] == 0)
