"""The time from a save on one node until the main context of another one shows it."""
import random, threading, time, uuid, queue
from nodes import Failure, PATIENCE


class Follower(threading.Thread):
    """Notes when a node's main context tells of each object."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.node, self.seen = node, queue.Queue()
        self.start()
        self.seen.get(timeout=PATIENCE)

    def run(self):
        for text in self.node.updates():
            self.seen.put((time.monotonic(), text))

    def time_of(self, name):
        end = time.monotonic() + PATIENCE
        while True:
            moment, text = self.seen.get(timeout=max(0.1, end - time.monotonic()))
            if name in text:
                return moment


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]


def measure(fleet, rounds, seed):
    """Saves on each node in turn, each time after more than a quiet second, and waits for the next node."""
    chance = random.Random(seed)
    followers = [Follower(node) for node in fleet.nodes]
    taken = []
    for number in range(rounds):
        writer, reader = number % len(fleet.nodes), (number + 1) % len(fleet.nodes)
        identifier = str(uuid.uuid4())
        begin = time.monotonic()
        fleet.nodes[writer].save({"insert": "Employee", "id": identifier, "values": {"name": f"Round {number}"}})
        taken.append(followers[reader].time_of(identifier) - begin)
        # The export's quiet time of a second has passed then, at some moment of the watcher's.
        time.sleep(chance.uniform(1.1, 2.1))
    return taken


def table(rows):
    print(f"{'scan asked for':<16}{'rounds':>8}{'p50 s':>8}{'p95 s':>8}{'max s':>8}")
    for name, taken in rows:
        print(f"{name:<16}{len(taken):>8}{quantile(taken, 0.5):>8.2f}{quantile(taken, 0.95):>8.2f}{max(taken):>8.2f}", flush=True)


def run(fleet, rounds, seed):
    """Fails when a save takes longer with the request than it may; without the request, Syncthing's watcher takes a second."""
    rows = [("yes", measure(fleet, rounds, seed))]
    for node in fleet.nodes:
        node.requests_scans = False
        node.write_configuration()
        node.ctl("reload")
    rows.append(("no", measure(fleet, rounds if rounds >= 50 else max(1, rounds // 2), seed)))
    for node in fleet.nodes:
        node.requests_scans = True
        node.write_configuration()
        node.ctl("reload")
    table(rows)
    # Few rounds, beside whatever else the machine does, show only that the request has an effect at all.
    middle, late = quantile(rows[0][1], 0.5), quantile(rows[0][1], 0.95)
    bounds = (1.3, 1.6) if rounds >= 50 else (3, 60)
    if middle > bounds[0] or late > bounds[1]:
        raise Failure(f"half of the saves took more than {middle:.2f} s, 5 % more than {late:.2f} s; the bounds are {bounds} s")
