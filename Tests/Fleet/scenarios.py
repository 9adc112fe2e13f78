"""What happens to a fleet, after which all nodes must have all objects and one digest."""
import glob, hashlib, json, os, random, shutil, subprocess, threading, time, uuid
from nodes import FOLDER, Failure, run as run_program, wait


class Producer:
    """Writes segments into a node's log folder, as SegmentFormat.md says, without a library."""

    def __init__(self, node, name):
        self.node, self.name, self.writer = node, name, str(uuid.uuid4())
        self.sequence, self.previous = 0, None

    def write(self, count, padding=0):
        for _ in range(count):
            self.sequence += 1
            number = self.sequence
            file_name = f"{number:016x}-{number:016x}.tlog"
            lines = [{"tributary": 1, "writer": self.writer, "name": self.name, "first": number, "last": number,
                      "previous": self.previous},
                     {"transaction": number, "clock": f"{(int(time.time() * 1000) << 16) + number:016x}", "changes": 1},
                     {"insert": "Employee", "id": str(uuid.uuid4()), "values": {"name": f"{self.name} {number} " + "x" * padding}}]
            body = "".join(json.dumps(line) + "\n" for line in lines).encode()
            self.previous = hashlib.sha256(body).hexdigest()
            end = {"end": number, "transactions": 1, "changes": 1, "sha256": self.previous}
            staged = f"{self.node.logs}/.staging/{self.writer}"
            os.makedirs(f"{self.node.logs}/.staging", exist_ok=True)
            os.makedirs(f"{self.node.logs}/{self.writer}", exist_ok=True)
            with open(staged, "wb") as file:
                file.write(body + json.dumps(end).encode() + b"\n")
            os.rename(staged, f"{self.node.logs}/{self.writer}/{file_name}")

    def announce(self):
        self.node.rest("POST", "/rest/db/scan", folder=FOLDER, sub=self.writer)

    def arrived(self, node):
        return len(glob.glob(f"{node.logs}/{self.writer}/*.tlog"))


def insert(name, identifier=None):
    return {"insert": "Employee", "id": identifier or str(uuid.uuid4()), "values": {"name": name}}


def concurrent_edits(fleet, chance):
    """all nodes change one object and insert others, at the same time"""
    shared = str(uuid.uuid4())
    fleet.nodes[0].save(insert("Shared", shared))
    fleet.objects += 1
    fleet.wait_until_equal(fleet.objects)
    failures = []

    def edit(node):
        try:
            for number in range(15):
                node.save({"update": "Employee", "id": shared, "values": {"name": f"by {node.number}, {number}"}},
                          insert(f"Own {node.number} {number}"))
        except Exception as failure:
            failures.append(failure)

    editors = [threading.Thread(target=edit, args=(node,)) for node in fleet.nodes]
    for editor in editors:
        editor.start()
    for editor in editors:
        editor.join()
    if failures:
        raise Failure(f"a save failed: {failures[0]}")
    fleet.objects += 15 * len(fleet.nodes)


def partition(fleet, chance):
    """a node is cut off, all go on, and the network heals"""
    away = chance.choice(fleet.nodes)
    away.cut()
    for node in fleet.nodes:
        node.save(insert(f"Apart {node.number}"))
    fleet.objects += len(fleet.nodes)
    others = [node for node in fleet.nodes if node is not away]
    for node in others:
        wait(f"node {node.number} to have what the others saved",
             lambda: count(node) == fleet.objects - 1)
    if count(away) != fleet.objects - len(others):
        raise Failure(f"node {away.number} is cut off and has {count(away)} objects")
    away.heal()


def lost_index(fleet, chance):
    """a node loses Syncthing's index while others save"""
    node = chance.choice(fleet.nodes)
    node.kill_syncthing()
    indexes = glob.glob(f"{node.home}/index-*.db")
    if not indexes:
        raise Failure(f"there is no index in {node.home}")
    for index in indexes:
        shutil.rmtree(index)
    for other in fleet.nodes:
        other.save(insert(f"Without index {other.number}"))
    fleet.objects += len(fleet.nodes)
    node.start_syncthing()


def many_segments(fleet, chance):
    """2,000 segments of one writer"""
    producer = Producer(fleet.nodes[0], "many")
    producer.write(2_000)
    fleet.objects += 2_000
    producer.announce()


def killed_transfer(fleet, chance):
    """a Syncthing is killed (SIGKILL) while it receives 300 segments"""
    sender, receiver = chance.sample(fleet.nodes, 2)
    for attempt in range(6):
        producer = Producer(sender, f"killed-{attempt}")
        producer.write(300, padding=2_000)
        fleet.objects += 300
        begin = threading.Thread(target=producer.announce)
        begin.start()
        wait("the first files", lambda: producer.arrived(receiver) > 0)
        receiver.kill_syncthing()
        got = producer.arrived(receiver)
        begin.join()
        receiver.start_syncthing()
        if got < 300:
            return
    raise Failure("all segments have arrived each time before Syncthing was killed")


def full_disk(fleet, chance):
    """the disk of a log folder fills, and has room again"""
    node = fleet.nodes[2]
    with open(f"{node.logs}/.staging/filler", "wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 65_536)
        except OSError:
            pass
    sender = fleet.nodes[0]
    node.save(insert("On a full disk"))
    for number in range(40):
        sender.save(insert(f"For a full disk {number} " + "x" * 3_000))
    fleet.objects += 41
    wait("the problem export-failed", lambda: "export-failed" in node.problems())
    wait("node 2 to have what node 1 saved", lambda: count(fleet.nodes[1]) == fleet.objects - 1)
    os.unlink(f"{node.logs}/.staging/filler")
    node.ctl("sync")


def away_for_long(fleet, chance):
    """a node is away while the others save and compact without it, and comes back by the baseline"""
    first, second, away = fleet.nodes
    away.save(insert("Before it is away"))
    fleet.objects += 1
    fleet.wait_until_equal(fleet.objects)
    absent = away.ask("GET", "/v1/status")["writer"]
    away.stop_daemon()
    away.kill_syncthing()
    for number in range(20):
        for node in (first, second):
            node.save(insert(f"While away {node.number} {number}"))
    fleet.objects += 40
    for node in (first, second):
        wait(f"node {node.number} to have it all", lambda: count(node) == fleet.objects)
    # With what it saves after that, node 2 acknowledges what it has.
    second.save(insert("Seen by node 2"))
    fleet.objects += 1
    wait("node 1 to have that", lambda: count(first) == fleet.objects)
    writer = first.ask("GET", "/v1/status")["writer"]
    # What it has not acknowledged goes without it, as of a machine of which nobody knows whether it comes back.
    for node in (first, second):
        node.ctl("writer", "evict", absent)
    last = max(glob.glob(f"{first.logs}/{writer}/*.tlog"))
    first.ctl("compact")
    wait("node 2 to endorse the baseline", lambda: glob.glob(f"{second.logs}/*/*.comparison"))
    wait("the comparison at node 1", lambda: glob.glob(f"{first.logs}/*/*.comparison"))

    def is_compacted():
        first.ctl("compact")
        return not os.path.exists(last)

    wait("what node 1 saved meanwhile to be removed", is_compacted)
    joined = away.logged("joined a baseline")
    away.start_syncthing()
    away.start_daemon()
    wait("node 3 to join the baseline", lambda: away.logged("joined a baseline") > joined)


def count(node):
    return node.ask("GET", "/v1/objects/Employee?count=true")["count"]


SCENARIOS = {"concurrent-edits": concurrent_edits, "partition": partition, "lost-index": lost_index,
             "many-segments": many_segments, "killed-transfer": killed_transfer, "full-disk": full_disk,
             "away-for-long": away_for_long}


def names():
    return list(SCENARIOS)


def run(fleet, chosen, seed, isEverything):
    chosen = list(SCENARIOS) if isEverything else chosen
    for name in chosen:
        if name not in SCENARIOS:
            raise Failure(f"there is no '{name}'; `fleet --list` lists what there is")
    if not chosen:
        return
    fleet.objects = count(fleet.nodes[0])
    fleet.wait_until_equal(fleet.objects)
    chance = random.Random(seed)
    print(f"\n{'what happens':<72}{'objects':>8}{'equal after s':>15}")
    for name in chosen:
        SCENARIOS[name](fleet, chance)
        seconds = fleet.wait_until_equal(fleet.objects)
        for node in fleet.nodes:
            wait(f"the end of node {node.number}'s problems after '{name}'",
                 lambda: not set(node.problems()) - {"scan-not-requested"})
        print(f"{SCENARIOS[name].__doc__:<72}{fleet.objects:>8}{seconds:>15.1f}", flush=True)
