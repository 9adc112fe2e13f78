"""Stories.md, LostFiles.md, NewMachine.md, Backups.md: each story in the situation that it tells of."""
import os, re, struct, subprocess, sys, time, uuid

from walk_machines import LOGS, Failure, block, root

sys.path.insert(0, f"{root}/etc/examples/producers")
import gate

DAYS = 2 * 86_400_000


class Producer:
    """A writer without a machine of its own, whose files are on the host."""
    def __init__(self, folder, name=None):
        os.makedirs(folder, exist_ok=True)
        self.logs = folder
        self.segments = gate.SegmentWriter(folder, f"{folder}/{uuid.uuid4()}.state", name)
        self.id = self.segments.state["writer"]

    def write(self, name, lead=0):
        """Writes a segment with one employee, and the clock that many milliseconds ahead; returns its path below the log folder."""
        state = self.segments.state
        former, state["clock"] = state["clock"], max(state["clock"], (time.time_ns() // 1_000_000 + lead << 16) if lead else 0)
        insert = {"insert": "Employee", "id": str(uuid.uuid4()), "values": {"name": name}}
        return os.path.relpath(self.segments.write([[insert]]), self.logs)


def new_machine(machine, name, source):
    """Gives the machine an empty disk, another machine ID and a name, and the model of another machine."""
    # A folder may get a file meanwhile, and is then not empty.
    machine.knows("sudo systemctl stop tributaryd.service && "
                  "until sudo find /var/lib/tributary /var/backups -ignore_readdir_race -mindepth 1 -delete; do sleep 0.1; done && "
                  "sudo sh -c 'rm -rf /dev/shm/tributary-*; tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id'")
    machine.knows(f"sudo install -d -m 2770 -o tributary -g tributary-logs {LOGS}")
    text = source.knows("cat /etc/tributary/model.yaml")
    with open(f"{machine.shared}/model.yaml", "w") as file:
        file.write(text + "\n")
    machine.knows("sudo install -m 644 /walk/model.yaml /etc/tributary/model.yaml")
    machine.knows(f"echo 'name: {name}' | sudo install -D -m 644 /dev/stdin /etc/tributary/tributary.d/name.yaml")
    machine.be_impatient()


def exchange(north, south, third):
    """Carries what the third machine has to the others, and back."""
    for machine in (north, south):
        third.carry(machine)
        machine.carry(third)


def gone(walk, north, south, third):
    """A machine is gone, so that no segment may leave the folder until it is evicted; then it comes back: LostFiles.md."""
    def both():
        exchange(north, south, third)
    for machine in (north, south, third):
        machine.set("retention", "retention: {keep_segments: 1s}")
    for name in ("First", "Second"):
        for machine in (north, south, third):
            machine.save(f"{name}-{machine.name}")
        walk.agree(north, south, third, carry=both)
    former = third.writer()
    third.knows("sudo systemctl stop tributaryd.service")
    own = north.files(f"*/{north.writer()}/*.tlog")

    def change():
        for machine in (north, south):
            machine.save(f"Round-{uuid.uuid4()}")
            machine.knows("sudo tributaryctl compact")
    pattern = walk.pattern("LostFiles", "output: gone", FORMER=former)

    def waits():
        change()
        return pattern.search(north.knows("sudo tributaryctl compact --dry-run") + "\n")
    walk.until("the segments wait for the machine that is gone", waits)
    walk.expect(pattern.search(walk.block(north, "LostFiles", "gone", kind="test")), "the dry run names the machine that is gone")
    for machine in (north, south):
        walk.block(machine, "LostFiles", "evict", kind="test", values={"FORMER": former})

    def leave():
        change()
        return not own <= north.files(f"*/{north.writer()}/*.tlog")
    walk.until("segments leave the log folder", leave)
    third.knows("sudo systemctl start tributaryd.service")
    third.save("Back")
    walk.agree(north, south, third, carry=both)
    shown = north.knows("tributaryctl writer list")
    walk.expect("evicted" not in shown, "the machine that came back counts again", shown)
    # Now it is gone for good.
    third.knows("sudo systemctl stop tributaryd.service")
    for machine in (north, south):
        walk.block(machine, "LostFiles", "evict", kind="test", values={"FORMER": third_writer(north, "till")})
        machine.set("retention", None)


def third_writer(machine, name):
    """The present writer of the store with a name, as another machine knows it."""
    return re.search(rf"^(\S+) +{name}\b", machine.knows("tributaryctl writer list"), re.M)[1]


def new(walk, north, south, third):
    """A new machine begins with a copy of the log folder: NewMachine.md."""
    new_machine(third, "tablet", north)
    north.carry(third)
    shown = walk.block(third, "NewMachine", "new", kind="test")
    digest = walk.agree(north, south)
    walk.expect(digest in shown and "the first import is not complete" not in shown, "the new machine has the state of the others", shown)


def former(walk, north, south, third):
    """The disk of a machine breaks: its backup goes on on another machine, and the former one is evicted: Backups.md, LostFiles.md."""
    def both():
        exchange(north, south, third)
    third.save("Tablet")
    walk.block(third, "Backups", "backup")
    third.knows("sudo cp /var/backups/tributary.sqlite /walk/")
    third.save("Later")
    walk.agree(north, south, third, carry=both)
    former = third.writer()
    new_machine(third, "till-12", north)
    third.knows("sudo mv /walk/tributary.sqlite /var/backups/")
    north.carry(third)
    shown = walk.block(third, "Backups", "restore", kind="test")
    walk.expect(re.search(rf"^{former}.*\n(.*\n)*.* self ", shown, re.M), "the list has the restored store and the former one", shown)
    walk.expect(third.has("Later"), "what the former machine had exported is imported")
    third.save("Restored")
    walk.agree(north, south, third, carry=both)
    walk.expect(third.writer() != former and north.has("Restored"), "the restored store goes on as another writer")
    for machine in (north, south):
        walk.type(machine, "LostFiles", block("evict", "LostFiles", kind="test")[0], values={"FORMER": former})
        shown = machine.knows("tributaryctl writer list")
        walk.expect(re.search(rf"^{former}.*evicted", shown, re.M), "the former machine is evicted", shown)


def restore(walk, north, south, third):
    """The store's file is damaged; the backup goes on, with what was exported after it: Backups.md."""
    former = south.writer()
    south.knows("sudo rm -f /var/backups/tributary.sqlite")
    walk.block(south, "Backups", "backup")
    south.save("AfterBackup")
    walk.type_until(north, "Fleet", "sudo tributaryctl object list Employee", "AfterBackup")
    south.knows("sudo systemctl stop tributaryd.service && echo no store | sudo -u tributary tee /var/lib/tributary/store.sqlite")
    status, shown, _ = south.types("sudo systemctl start tributaryd.service")
    walk.expect(status, "the service does not start with a damaged store", shown)
    shown = walk.block(south, "Backups", "restore", kind="test")
    walk.expect(former in shown, "the list of writers has the store", shown)
    walk.expect(south.has("AfterBackup"), "what was exported after the backup is imported")
    south.save("Restored-south")
    walk.agree(north, south)
    walk.expect(south.writer() != former, "the restored store goes on as a fresh writer")
    south.knows("sudo tributaryctl status --check")


def lost(walk, north, south, third):
    """A segment of a machine is lost for good, and what comes after it is taken; then it turns up: LostFiles.md."""
    producer = Producer(f"{north.shared}/lost")
    files = [producer.write(f"Lost-{number}") for number in (1, 2, 3)]
    for machine in (north, south):
        for number in (0, 2):
            machine.place(f"{producer.logs}/{files[number]}", files[number])
    for machine in (north, south):
        walk.shows(machine, "LostFiles", "status: lost", FORMER=producer.id)
        shown = walk.block(machine, "LostFiles", "lost", kind="test", values={"FORMER": producer.id})
        walk.expect("abandoned" in shown, "the writer is abandoned", shown)
        machine.knows("sudo tributaryctl status --check")
        walk.expect(not machine.has("Lost-3"), "the position of the writer does not move")
    for machine in (north, south):
        machine.place(f"{producer.logs}/{files[1]}", files[1])
    walk.until("the segment that turned up is taken, and what comes after it", lambda: south.has("Lost-2") and south.has("Lost-3"))
    for machine in (north, south):
        machine.scan()
    walk.agree(north, south)


def remove(machine, folder):
    """Removes a folder into which programs write, at one moment."""
    machine.knows(f"sudo mv {folder} /var/lib/tributary/removed && sudo rm -r /var/lib/tributary/removed")


def folders(walk, north, south, third):
    """A segment, the own folder, and the whole log folder are lost: LostFiles.md."""
    # The store no longer has the segments that all have acknowledged: a baseline in the folder of the other one does.
    walk.verify(north)
    walk.agree(north, south)
    # A daemon looks for lost files at most once a minute.
    south.knows("sudo systemctl restart tributaryd.service")
    south.unplug()
    for name in ("Missing-1", "Missing-2"):
        south.save(name)
    writer = south.writer()
    files = sorted(south.files(f"*/{writer}/*.tlog"))
    content = south.knows(f"sudo sha256sum {LOGS}/{files[-2]}")
    south.knows(f"sudo rm {LOGS}/{files[-2]}")
    walk.shows(south, "LostFiles", "status: missing", WRITER=writer)
    walk.block(south, "LostFiles", "missing", kind="test")
    walk.expect(south.knows(f"sudo sha256sum {LOGS}/{files[-2]}") == content, "the segment is the one that was lost")
    remove(south, f"{LOGS}/{writer}")
    south.save("Folder")
    walk.shows(south, "LostFiles", "status: folder", WRITER=writer)
    walk.block(south, "LostFiles", "folder", kind="test")
    south.plug()
    walk.agree(north, south)
    walk.expect(north.has("Missing-1") and north.has("Folder"), "the other machine has what was lost")

    remove(south, LOGS)
    south.save("Folders")
    walk.shows(south, "LostFiles", "status: folders")
    walk.block(south, "LostFiles", "folders", kind="test", values={"WRITER": writer})
    walk.block(south, "LostFiles", "marker")
    walk.until("the replicator has brought everything", lambda: south.types("sudo tributaryctl status --check")[0] == 0)
    walk.block(south, "LostFiles", "brought", kind="test")
    walk.agree(north, south)
    walk.expect(north.has("Folders"), "the other machine has what was saved without a folder")
    walk.type_until(south, "Operating", "tributaryctl check", "is equal")


def fork(walk, north, south, third):
    """A producer has begun its numbers anew on another machine; a machine is built anew from its folder: Stories.md, Backups.md."""
    producer = Producer(f"{north.shared}/fork", "shop")
    first = producer.write("Fork-1")
    for machine in (north, south):
        machine.place(f"{producer.logs}/{first}", first)
    walk.until("both have the producer's beginning", lambda: north.has("Fork-1") and south.has("Fork-1"))
    state = dict(producer.segments.state)
    second = producer.write("Fork-north")
    right = f"{producer.logs}/{second}"
    os.rename(right, f"{right}.north")
    producer.segments.state = state
    producer.write("Fork-south")
    north.unplug()
    north.place(f"{right}.north", second)
    south.place(right, second)
    # The older file loses.
    south.knows(f"sudo touch --date='1 hour ago' {LOGS}/{second}")
    walk.until("each has taken its file", lambda: north.has("Fork-north") and south.has("Fork-south"))
    north.plug()
    for machine in (north, south):
        machine.scan()
    walk.shows(north, "Stories", "status: fork", FORMER=producer.id, SEGMENT=second)
    walk.type_until(south, "Stories", "tributaryctl status", f"{second}: forked. Its hash is ")
    for machine in (north, south):
        machine.knows(f"cd / && sudo find {LOGS} -ignore_readdir_race -name '*.sync-conflict-*' -delete")
    walk.until("the machines have one file", lambda: len({m.knows(f"sudo sha256sum {LOGS}/{second}") for m in (north, south)}) == 1)
    walk.block(south, "Backups", "rebuild", kind="test")
    south.knows("sudo tributaryctl wait")
    walk.agree(north, south)
    walk.expect(south.has("Fork-north") and not south.has("Fork-south"), "the machine that is built anew has the others' state")
    for machine in (north, south):
        walk.until("there is no problem left", lambda: machine.types("sudo tributaryctl status --check")[0] == 0)


def held(walk, north, south, third):
    """The clock of a machine is ahead: what it writes is held, and accepted: Stories.md."""
    producer = Producer(f"{north.shared}/held", "shop")
    segment = producer.write("Ahead", lead=DAYS)
    for machine in (north, south):
        machine.place(f"{producer.logs}/{segment}", segment)
    for machine in (north, south):
        values = {"FORMER": producer.id, "SEGMENT": segment}
        walk.shows(machine, "Stories", "status: held", **values)
        shown = walk.block(machine, "Stories", "held", kind="test", values=values)
        walk.expect("now applied" in shown and "win over" in shown, "the segment is applied, with a warning", shown)
        machine.save(f"Right-{machine.name}")
        walk.block(machine, "Stories", "accepted", kind="test")
        walk.expect(machine.has("Ahead"), "the accepted segment is applied")
    walk.agree(north, south)
    walk.expect(north.has("Right-south") and south.has("Right-north"), "other saves go on with right clocks")


def clock(walk, north, south, third):
    """A machine has started with a wrong clock and without its share; then both are right: Stories.md."""
    library = f"{third.shared}/clock.so"
    if subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, f"{root}/Tests/Faults/clock.c"]).returncode:
        raise Failure("gcc does not compile Tests/Faults/clock.c")

    def ahead(milliseconds):
        with open(f"{third.shared}/clock", "r+b" if os.path.exists(f"{third.shared}/clock") else "wb") as file:
            file.write(struct.pack("q", milliseconds))
    ahead(DAYS)
    north.carry(third)
    # No machine of this kind has a clock of its own: the service sees another time.
    third.knows("sudo systemctl stop tributaryd.service && sudo install -d /etc/systemd/system/tributaryd.service.d && "
                "printf '[Service]\\nEnvironment=LD_PRELOAD=/walk/clock.so TRIBUTARY_CLOCK=/walk/clock\\n' | "
                "sudo tee /etc/systemd/system/tributaryd.service.d/clock.conf && sudo systemctl daemon-reload")
    third.knows(f"sudo mv {LOGS} {LOGS}.away && sudo systemctl start tributaryd.service")
    third.save("Early")
    ahead(0)
    third.knows(f"sudo rm -r {LOGS} && sudo mv {LOGS}.away {LOGS}")
    third.save("Right")
    walk.shows(third, "Stories", "status: clock")
    walk.block(third, "Stories", "clock", kind="test")

    def both():
        exchange(north, south, third)
    walk.agree(north, south, third, carry=both)
    walk.expect(south.has("Early") and south.has("Right"), "the other machines have taken both saves")
    third.knows("sudo rm /etc/systemd/system/tributaryd.service.d/clock.conf && sudo systemctl daemon-reload && "
                "sudo systemctl restart tributaryd.service")
