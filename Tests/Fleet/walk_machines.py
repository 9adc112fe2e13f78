"""The machines of `walk`, and what an operator does there: he types what the articles print, and looks at what it shows."""
import collections, contextlib, glob, os, re, select, shlex, shutil, subprocess, time

root = os.path.realpath(f"{os.path.dirname(os.path.abspath(__file__))}/../..")
PATIENCE = 180
LOGS = "/var/lib/tributary/logs"
# What runs on a machine: each line that comes in is a command of the operator, whose status goes out.
OPERATOR = """exec 3<>/walk/commands 4<>/walk/answers
while read -r line <&3; do
    [ "$line" != leave ] || exit 0
    runuser --login anna --command "$line" >/walk/shown 2>&1 </dev/null
    echo "$?" >&4
done
"""


class Failure(Exception):
    pass


def clipped(text):
    """The text for the journal of the walk, in which a large value takes no more than a line."""
    return "".join(line if len(line) <= 400 else line[:400] + "…\n" for line in text.splitlines(keepends=True))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{shlex.join(command)}: ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def block(name, article, kind="command"):
    file = next(glob.iglob(f"{root}/Sources/*/*.docc/{article}.md"))
    return run(f"{root}/.ci/readme-block", f"{kind}: {name}", file).splitlines()


class Machine:
    def __init__(self, name, number, tree, packages, scratch, seconds):
        self.name, self.number, self.address, self.shared = name, number, f"10.98.0.{number}", f"{scratch}/{name}"
        os.mkdir(self.shared)
        for pipe in ("commands", "answers"):
            os.mkfifo(f"{self.shared}/{pipe}")
        with open(f"{self.shared}/operator", "w") as file:
            file.write(OPERATOR)
        # Its network namespace, from which a cable goes to the bridge.
        space = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        ours = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{space.pid}/ns/net") == ours:
            time.sleep(0.01)
        inside = ["nsenter", f"--net=/proc/{space.pid}/ns/net"]
        run("ip", "link", "add", f"walk{number}", "type", "veth", "peer", "name", "eth0", "netns", str(space.pid))
        run("ip", "link", "set", f"walk{number}", "master", "walk", "up")
        for command in ("link set lo up", f"addr add {self.address}/24 dev eth0", "link set eth0 up"):
            run(*inside, "ip", *command.split())
        self.console = open(f"{scratch}/{name}.console", "w+")
        self.process = subprocess.Popen(
            [*inside, f"{root}/Tests/SystemdTests/boot-systemd", "--tree", tree, "--name", name, "--network", "--timeout", str(seconds),
             "--writable", f"{self.shared}:/walk", "--read-only", f"{packages}:/srv/package", "--",
             "bash", "/walk/operator"], stdin=subprocess.DEVNULL, stdout=self.console, stderr=self.console)
        self.commands = os.open(f"{self.shared}/commands", os.O_RDWR)
        self.answers = os.open(f"{self.shared}/answers", os.O_RDWR)

    def unplug(self):
        run("ip", "link", "set", f"walk{self.number}", "down")

    def plug(self):
        run("ip", "link", "set", f"walk{self.number}", "up")

    def knows(self, command):
        """What a command shows that the operator types beside the articles."""
        status, shown, _ = self.types(command)
        if status:
            raise Failure(f"{self.name}: '{command}' ended with {status}\n{shown}")
        return shown.strip()

    def writer(self):
        return re.search(r"^writer +(\S+)", self.knows("sudo tributaryctl status"), re.M)[1]

    def has(self, name):
        """Whether an employee of that name is in the store."""
        return self.knows(f"sudo tributaryctl object list Employee --where \"name = '{name}'\" --count") == "1"

    def save(self, name):
        # The status 75 of the second tells of the problem that a story is about.
        self.knows(f"sudo tributaryctl object insert Employee name={name} && {{ sudo tributaryctl sync || [ $? = 75 ]; }}")

    def be_impatient(self):
        """The article's reader waits for a minute until what is missing is a problem."""
        self.knows("echo 'watch: {incomplete_grace: 1s}' | sudo install -D -m 644 /dev/stdin /etc/tributary/tributary.d/patience.yaml")

    def set(self, name, text):
        """Writes a file of settings, or removes it, and puts it into force."""
        path = f"/etc/tributary/tributary.d/{name}.yaml"
        if text:
            self.knows(f"echo '{text}' | sudo install -D -m 644 /dev/stdin {path} && sudo tributaryctl reload")
        else:
            self.knows(f"sudo rm {path} && sudo tributaryctl reload")

    def files(self, pattern="*.tlog"):
        """The files of the log folder, by their path below it."""
        shown = self.knows(f"cd / && sudo find {LOGS} -ignore_readdir_race -mindepth 2 -type f -path '{pattern}' -not -path '*/.st*' -printf '%P\\n'")
        return set(shown.split())

    def place(self, source, file):
        """Puts a file of the host into the log folder, where it appears complete."""
        shutil.copy(source, f"{self.shared}/placed")
        staged = f"{LOGS}/.staging/placed"
        self.knows(f"sudo install -d -m 2770 -o tributary -g tributary-logs {LOGS}/.staging {os.path.dirname(f'{LOGS}/{file}')} && "
                   f"sudo install -m 660 -o tributary -g tributary-logs /walk/placed {staged} && sudo mv {staged} {LOGS}/{file}")

    def scan(self):
        """Syncthing's watcher may miss a file in a folder that is new to it; at its start it looks at all files."""
        self.knows("sudo systemctl restart syncthing@syncthing.service")

    def carry(self, other, *but):
        """Carries the files that another machine lacks there, as a replicator does: each appears complete, and none is replaced."""
        excluded = " ".join(f"--exclude='{pattern}'" for pattern in ("./.st*", *but))
        # The status 1 tells of files that a compaction has removed meanwhile.
        self.knows(f"{{ sudo tar -C {LOGS} {excluded} -cf /walk/logs.tar . || [ $? = 1 ]; }} && sudo chmod 644 /walk/logs.tar")
        shutil.copy(f"{self.shared}/logs.tar", other.shared)
        brought = f"{LOGS}/.staging/brought"
        other.knows(f"cd / && sudo -u tributary sh -ec 'umask 7; mkdir -p {brought}; tar -C {brought} --no-same-owner -xf /walk/logs.tar; "
                    f"cp -r --link --no-clobber {brought}/. {LOGS}; rm -r {brought}'")

    def leave(self):
        """Ends the machine, which then removes its control group."""
        os.write(self.commands, b"leave\n")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(60)

    def types(self, command):
        """Returns the status of the command, what it showed and its seconds."""
        begun = time.monotonic()
        os.write(self.commands, command.encode() + b"\n")
        while not select.select([self.answers], [], [], 0.5)[0]:
            if self.process.poll() is not None:
                self.console.seek(0)
                raise Failure(f"{self.name} has ended with {self.process.returncode}:\n{self.console.read()}")
            if time.monotonic() - begun > PATIENCE:
                raise Failure(f"{self.name}: '{command}' takes more than {PATIENCE} s")
        status = int(os.read(self.answers, 64))
        with open(f"{self.shared}/shown", errors="replace") as file:
            return status, file.read(), time.monotonic() - begun


class Walk:
    def __init__(self):
        self.rows, self.begun = [], time.monotonic()

    def type(self, machine, where, command, folder=".", values={}):
        """Types the command, with what the operator knows by then in the place of the article's variables and words in capitals."""
        typed = command
        for name, value in values.items():
            typed = re.sub(rf"\$?\b{name}\b", lambda _: value, typed)
        expected = re.search(r"# ends with (\d+)", command)
        status, shown, seconds = machine.types(f"cd {folder} && {typed}")
        # The progress of dpkg is for a terminal.
        shown = "".join(line for line in shown.splitlines(keepends=True) if not line.startswith("(Reading database"))
        print(f"{machine.name}$ {typed}   # {seconds:.1f} s\n{clipped(shown)}", end="", flush=True)
        if status != (int(expected[1]) if expected else 0):
            raise Failure(f"{machine.name}: '{typed}' of {where} ended with {status}")
        self.rows.append((machine.name, where, command, seconds))
        return shown

    def table(self):
        """The commands in their order, with the seconds of each machine."""
        rows, typed = {}, collections.Counter()
        for machine, where, command, seconds in self.rows:
            typed[machine, where, command] += 1
            rows.setdefault((where, command, typed[machine, where, command]), {})[machine] = f"{seconds:.1f}"
        lines = ["| article | command | north, s | south, s |", "|---|---|---|---|"]
        for (where, command, _), seconds in rows.items():
            shown = command.replace("|", "\\|")
            lines.append(f"| {where} | `{shown}` | {seconds.get('north', '')} | {seconds.get('south', '')} |")
        return "\n".join(lines)

    @staticmethod
    def pattern(article, marker, **values):
        """The lines of a block in their order, in which `…` is any text."""
        kind, name = marker.split(": ")
        lines = block(name, article, kind)
        for word, value in values.items():
            lines = [re.sub(rf"\b{word}\b", lambda _: value, line) for line in lines]
        patterns = [".*".join(map(re.escape, line.split("…"))) for line in lines]
        return re.compile(r"(?:.*\n)*?".join(f"^{line}\n" for line in patterns), re.M)

    def shows(self, machine, article, marker, **values):
        """Types the command again until its status is that of the article."""
        return self.type_until(machine, article, "tributaryctl status", self.pattern(article, marker, **values))

    def agree(self, *machines, carry=None):
        """Until all machines have one digest, as Stories.md shows it; `carry` is called before each look."""
        def states():
            if carry:
                carry()
            return {machine.types("sudo tributaryctl sync >/dev/null; tributaryctl digest")[1].split("\n")[0] for machine in machines}
        self.until("one digest on all machines", lambda: len(states()) == 1)
        digests = {re.search("^[0-9a-f]{64}$", self.block(machine, "Stories", "digest", kind="test"), re.M)[0] for machine in machines}
        if len(digests) != 1:
            raise Failure(f"the machines differ: {digests}")
        return digests.pop()

    def verify(self, machine):
        """The machine cuts a baseline, which another one verifies."""
        machine.save("Baseline")
        writer = machine.writer()
        machine.knows("sudo tributaryctl compact")
        baseline = sorted(machine.files(f"*/{writer}/*.baseline"))[-1]
        name = os.path.basename(baseline).split(".")[0]
        self.until("another machine has verified the baseline", lambda: machine.files(f"*/{writer}-{name}.comparison"))

    @staticmethod
    def until(what, condition):
        """Returns what the condition returns when that is true."""
        begun = time.monotonic()
        while not (found := condition()):
            if time.monotonic() - begun > PATIENCE:
                raise Failure(f"never within {PATIENCE} s: {what}")
            time.sleep(0.1)
        print(f"{what}   # {time.monotonic() - begun:.1f} s", flush=True)
        return found

    @staticmethod
    def expect(holds, what, shown=""):
        if not holds:
            raise Failure(f"it is not so that {what}\n{shown}")

    def type_until(self, machine, where, command, text):
        """Types the command again until it shows the text or pattern, which it returns; the seconds are those until then."""
        begun, shown = time.monotonic(), ""
        pattern = re.compile(re.escape(text)) if isinstance(text, str) else text
        while not (found := pattern.search(shown := machine.types(command)[1])):
            if time.monotonic() - begun > PATIENCE:
                raise Failure(f"{machine.name}: '{command}' does not show '{pattern.pattern}' within {PATIENCE} s, but:\n{shown}")
            time.sleep(0.1)
        seconds = time.monotonic() - begun
        print(f"{machine.name}$ {command}   # {seconds:.1f} s\n{clipped(shown)}", end="", flush=True)
        self.rows.append((machine.name, where, command, seconds))
        return found

    def block(self, machine, article, name, kind="command", **options):
        return "".join([self.type(machine, article, line, **options) for line in block(name, article, kind)])
