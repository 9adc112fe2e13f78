"""Machines of a fleet on this machine: each has a network namespace of its own with an address on a bridge, a Syncthing
that shares its log folder with the others, and a tributaryd. Nothing leads out of the bridge, and nothing outlives the
process that makes it, which runs in namespaces of its own (see `fleet`)."""
import contextlib, ctypes, glob, http.client, json, os, signal, subprocess, threading, time, urllib.parse

import admin

FOLDER, KEY, PATIENCE = "logs", "fleet-test-key", 600
MODEL = """version: "1"
entities:
  Employee:
    attributes:
      name: String
      salary: Double?
"""
libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000


class Failure(Exception):
    pass


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, **options)
    if done.returncode:
        raise Failure(f"{' '.join(command)}: ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def wait(what, condition, patience=PATIENCE):
    """Polls until the condition is true, and returns what it returned. `what` is a text, or a function that says at the end what
    is missing."""
    end = time.monotonic() + patience
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Failure(f"waited {patience:.0f} s in vain for {what() if callable(what) else what}")
        time.sleep(0.05)


def is_running(process):
    """False also for one that has ended and whose parent, a namespace's first process, has not yet waited for it."""
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class Node:
    def __init__(self, number, root, programs):
        self.number, self.root, self.programs = number, root, programs
        self.logs, self.home, self.address = f"{root}/logs", f"{root}/syncthing", f"10.99.0.{number}"
        self.socket, self.requests_scans = f"{root}/admin.sock", True
        self.syncthing = self.daemon = None
        for folder in (root, self.logs):
            os.mkdir(folder)
        # A disk that a test can fill; the namespace of mounts ends with the test.
        run("mount", "-t", "tmpfs", "-o", "size=32m,mode=0770", "tmpfs", self.logs)
        os.mkdir(f"{self.logs}/.staging")
        for path, text in ((f"{root}/model.yaml", MODEL), (f"{root}/key", KEY + "\n")):
            with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(text)
        self.space = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        ours = os.readlink("/proc/self/ns/net")
        wait("a namespace", lambda: os.readlink(f"/proc/{self.space.pid}/ns/net") != ours)
        run("ip", "link", "add", f"fleet{number}", "type", "veth", "peer", "name", "uplink", "netns", str(self.space.pid))
        run("ip", "link", "set", f"fleet{number}", "master", "fleet", "up")
        for command in ("link set lo up", f"addr add {self.address}/24 dev uplink", "link set uplink up"):
            run(*self.inside("ip", *command.split()))

    def inside(self, *command):
        return ["nsenter", f"--net=/proc/{self.space.pid}/ns/net", *command]

    def start(self, name, *command):
        with open(f"{self.root}/{name}.log", "ab") as log:
            return subprocess.Popen(self.inside(*command), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    # Syncthing

    def make_syncthing(self):
        run("syncthing", "generate", f"--home={self.home}", "--no-default-folder", "--skip-port-probing")
        self.device = run("syncthing", "serve", "--device-id", f"--home={self.home}").strip()

    def start_syncthing(self):
        # One that was killed may hold its database for a moment longer than it is seen to run.
        end = time.monotonic() + PATIENCE
        while True:
            self.syncthing = self.start("syncthing", "syncthing", "serve", f"--home={self.home}", "--no-browser", "--no-restart",
                                        "--no-upgrade", "--gui-address=http://127.0.0.1:8384", f"--gui-apikey={KEY}")
            try:
                return wait(f"Syncthing of node {self.number}", lambda: self.is_answering())
            except Failure:
                if self.syncthing.poll() is None or time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def is_answering(self):
        if self.syncthing.poll() is not None:
            raise Failure(f"Syncthing of node {self.number} has ended: see {self.root}/syncthing.log")
        with contextlib.suppress(OSError, Failure):
            return self.rest("GET", "/rest/system/ping")

    def rest(self, method, path, body=None, **query):
        """Asks this node's Syncthing, from within its namespace."""
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open(f"/proc/{self.space.pid}/ns/net", os.O_RDONLY)
        connection = http.client.HTTPConnection("127.0.0.1", 8384, timeout=PATIENCE)
        try:
            libc.setns(there, CLONE_NEWNET)
            connection.connect()
        finally:
            libc.setns(before, CLONE_NEWNET)
            os.close(before), os.close(there)
        path += "?" + urllib.parse.urlencode(query) if query else ""
        connection.request(method, path, json.dumps(body) if body is not None else None, {"X-API-Key": KEY})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 300:
            raise Failure(f"{method} {path} of node {self.number}: {answer.status} {text[:300]}")
        return json.loads(text) if text.strip() else True

    def configure_syncthing(self, nodes):
        """Settings of the device alone; those of the folder are what `tributaryctl replicator setup` is for."""
        self.rest("PATCH", "/rest/config/options", {
            "listenAddresses": [f"tcp://{self.address}:22000"], "globalAnnounceEnabled": False, "natEnabled": False,
            "localAnnounceEnabled": False, "relaysEnabled": False, "urAccepted": -1, "crashReportingEnabled": False,
            "reconnectionIntervalS": 1, "setLowPriority": False, "announceLANAddresses": False})
        for node in nodes:
            self.rest("PUT", f"/rest/config/devices/{node.device}", {
                "deviceID": node.device, "name": f"node {node.number}", "addresses": [f"tcp://{node.address}:22000"]})
        self.rest("PUT", f"/rest/config/folders/{FOLDER}", {
            "id": FOLDER, "path": self.logs, "pullerPauseS": 1, "devices": [{"deviceID": node.device} for node in nodes]})

    def is_connected(self, count):
        connections = self.rest("GET", "/rest/system/connections")["connections"]
        return sum(one["connected"] for one in connections.values()) >= count

    def kill_syncthing(self):
        # It is two processes, of which one watches the other, started by any of its threads.
        watched = []
        for path in glob.glob(f"/proc/{self.syncthing.pid}/task/*/children"):
            with open(path) as children:
                watched += [int(child) for child in children.read().split()]
        if not watched:
            raise Failure("Syncthing has no child any more: who is to be killed?")
        for process in (self.syncthing.pid, *watched):
            os.kill(process, signal.SIGKILL)
        self.syncthing.wait()
        wait("the end of what was killed", lambda: not any(is_running(process) for process in watched))

    def cut(self):
        run("ip", "link", "set", f"fleet{self.number}", "down")

    def heal(self):
        run("ip", "link", "set", f"fleet{self.number}", "up")

    # Tributary

    def write_configuration(self):
        replicator = f"replicator: {{syncthing: {{key_file: {self.root}/key, folder: {FOLDER}}}}}\n"
        with open(f"{self.root}/tributary.yaml", "w") as file:
            file.write(f"name: node-{self.number}\nmodel: {self.root}/model.yaml\nstore: {self.root}/store.sqlite\n"
                       f"logs: {self.logs}\nadmin: {{socket: {self.socket}}}\n"
                       "watch: {incomplete_grace: 2s}\nretention: {keep_segments: 1ms}\n"
                       + (replicator if self.requests_scans else ""))

    def start_daemon(self):
        self.write_configuration()
        self.daemon = self.start("daemon", f"{self.programs}/tributaryd", "--config", f"{self.root}/tributary.yaml")
        wait(f"tributaryd of node {self.number}", self.is_running)

    def is_running(self):
        if self.daemon.poll() is not None:
            raise Failure(f"tributaryd of node {self.number} has ended with {self.daemon.returncode}: see {self.root}/daemon.log")
        with contextlib.suppress(OSError):
            return self.ask("GET", "/v1/status")["state"] == "running"

    def logged(self, text):
        """How many lines of the daemon's log have the text."""
        with open(f"{self.root}/daemon.log", errors="replace") as log:
            return sum(text in line for line in log)

    def stop_daemon(self):
        self.daemon.terminate()
        self.daemon.wait(PATIENCE)

    def ctl(self, *arguments, status=0):
        """Runs tributaryctl in the node's namespace, and returns what it prints on both outputs."""
        done = subprocess.run(self.inside(f"{self.programs}/tributaryctl", *arguments), capture_output=True, text=True,
                              timeout=PATIENCE, env={**os.environ, "TRIBUTARY_SOCKET": self.socket})
        if done.returncode != status:
            raise Failure(f"node {self.number}: tributaryctl {' '.join(arguments)} ended with {done.returncode}, not "
                          f"{status}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def syncthing_options(self):
        return ["--key-file", f"{self.root}/key", "--folder", FOLDER, "--logs", self.logs]

    def ask(self, method, path, body=None):
        try:
            return admin.ask(self.socket, method, path, body, PATIENCE)
        except admin.Refused as refused:
            raise Failure(f"node {self.number}: {refused}") from None

    def save(self, *changes):
        self.ask("POST", "/v1/transactions", {"changes": list(changes)})

    def problems(self):
        return {problem["code"]: problem for problem in self.ask("GET", "/v1/status")["problems"]}

    def describe(self):
        """What a failure is explained by: what has arrived in the log folder, and what Syncthing and the daemon say of it."""
        arrived = len(glob.glob(f"{self.logs}/*/*.tlog"))
        with contextlib.suppress(OSError, Failure):
            folder = self.rest("GET", "/rest/db/status", folder=FOLDER)
            told = {key: folder[key] for key in ("state", "globalFiles", "localFiles", "needFiles", "pullErrors", "error")}
            segments = self.ask("GET", "/v1/status")["segments"]
            return f"{arrived} segments arrived; Syncthing {told}; tributaryd {segments}, problems {list(self.problems())}"
        return f"{arrived} segments arrived; its Syncthing or its daemon does not answer"

    def digest(self):
        return json.loads(self.ctl("digest", "--json"))

    def updates(self):
        """Follows what the main context shows; yields the text of each update."""
        connection = admin.Connection(self.socket, PATIENCE)
        connection.request("GET", "/v1/changes", headers={"Accept": "text/event-stream"})
        answer = connection.getresponse()
        for line in answer:
            if line.startswith((b"event: hello", b"data:")):
                yield line.decode()


class Fleet:
    def __init__(self, root, programs, count=3):
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "fleet", "type", "bridge")
        run("ip", "link", "set", "fleet", "up")
        self.root, self.programs, self.nodes = root, programs, []
        for _ in range(count):
            self.add_node()

    def add_node(self):
        number = len(self.nodes) + 1
        node = Node(number, f"{self.root}/node{number}", self.programs)
        node.make_syncthing()
        self.nodes.append(node)
        return node

    def start(self):
        for node in self.nodes:
            node.start_syncthing()
        for node in self.nodes:
            node.configure_syncthing(self.nodes)
            found = node.ctl("replicator", "check", *node.syncthing_options(), status=75)
            for code in ("staging", "permissions"):
                if code not in found:
                    raise Failure(f"a new folder of Syncthing is not found to be wrong about {code}:\n{found}")
            node.ctl("replicator", "setup", "syncthing", *node.syncthing_options())
            node.ctl("replicator", "check", *node.syncthing_options())
            node.start_daemon()
        self.wait_until_connected()

    def wait_until_connected(self):
        for node in self.nodes:
            wait(f"the connections of node {node.number}", lambda: node.is_connected(len(self.nodes) - 1))

    def wait_until_equal(self, objects, patience=PATIENCE):
        """Returns the seconds until all nodes have so many objects and one digest."""
        begin = time.monotonic()
        end = begin + patience

        def count(node):
            return node.ask("GET", "/v1/objects/Employee?count=true")["count"]

        for node in self.nodes:
            wait(lambda: f"{objects} objects on node {node.number}, which has {count(node)}", lambda: count(node) == objects,
                 max(1, end - time.monotonic()))
        wait("equal digests", lambda: len({node.digest()["digest"] for node in self.nodes}) == 1,
             max(1, end - time.monotonic()))
        return time.monotonic() - begin
