"""What try-planted, try-simulated and draw-faults have in common: patches with faults, the copy of the tree with them, its
build, and runs of tests in it.

The copy is mounted over the tree where the system permits it, so that the tree's build is used again. When a script is
interrupted, what it has started ends with it.
"""
import os, pathlib, re, select, shutil, signal, subprocess, sys, tempfile, threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build-planted"
ISSUE = re.compile(r"^✘ Test (.+?) (?:with|recorded|failed)", re.MULTILINE)


SWITCH = """
import Glibc

private let plantedFault = getenv("TRIBUTARY_PLANTED").map { String(cString: $0) }
private func planted(_ name: String) -> Bool { plantedFault == name }
"""


def planted(folder, form):
    """The faults of a folder by name, each with the groups of its first line."""
    faults = {}
    for patch in sorted(folder.glob("*.patch")):
        title, _, change = patch.read_text().partition("\n")
        match = re.fullmatch(form, title) or fail(f"{patch.name}: the first line tells no fault: {title}")
        if f'planted("{patch.stem}")' not in change: fail(f"{patch.name}: nothing switches the fault on")
        faults[patch.stem] = match.groups()
    return faults


def patched(folder, faults):
    """The files that the faults of a folder change, by name, with all these faults in them."""
    patches = [folder / f"{name}.patch" for name in faults]
    files = set(re.findall(r"^\+\+\+ b/(.+)$", "".join(patch.read_text() for patch in patches), re.MULTILINE))
    with tempfile.TemporaryDirectory() as scratch:
        for name in files:
            (pathlib.Path(scratch) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, pathlib.Path(scratch) / name)
        for patch in patches:
            if subprocess.run(["git", "apply", patch], cwd=scratch).returncode:
                fail(f"{patch.relative_to(ROOT)} does not fit any more: plant its fault in the code of today, or remove it")
        return {name: (pathlib.Path(scratch) / name).read_bytes() + SWITCH.encode() for name in files}


def update_copy(changed):
    """Makes the copy like the tree with the changed files. What differs gets a new time, so that the build notices."""
    if not COPY.exists():
        # Under another name until it is whole: an interrupted copy is not taken for a build.
        draft = ROOT / ".build-planted.draft"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        if (ROOT / ".build").exists():
            subprocess.run(["cp", "-a", "--reflink=auto", ROOT / ".build", draft / ".build"], check=True)
        draft.rename(COPY)
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE).stdout.decode().split("\0")
    wanted = {name for name in [*listed, "Package.resolved"] if name and (ROOT / name).is_file()}
    for folder in ("Sources", "Tests"):
        for path in (COPY / folder).rglob("*"):
            if not path.is_dir() and str(path.relative_to(COPY)) not in wanted: path.unlink()
    for name in wanted:
        source, target = ROOT / name, COPY / name
        content = changed.get(name) or source.read_bytes()
        if target.is_file() and target.read_bytes() == content: continue
        target.parent.mkdir(parents=True, exist_ok=True)
        # A file that is new here has the time at which the tree's build has seen it.
        (shutil.copy if target.exists() or name in changed else shutil.copy2)(source, target)
        if name in changed: target.write_bytes(content)


class Runner:
    """Runs commands in the copy; `variable` is the environment variable that switches a fault on."""

    def __init__(self, variable, limit):
        self.variable, self.limit, self.targets = variable, limit, set()
        self.mounts = next((flags for flags in (["-m", "--propagation", "private"], ["-r", "-m"]) if subprocess.run(
            ["unshare", *flags, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0), None)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))

    def run(self, command, fault=None, reached=None):
        """Returns the status, None after too long, and the output. With a fault, the first issue of a test ends the run.

        `reached` is a folder for the numbers of the faults that the run reaches."""
        if self.mounts:
            command = ["unshare", *self.mounts, "bash", "-c", 'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"',
                       str(COPY), str(ROOT), *command]
        environment = dict(os.environ)
        if self.targets: environment["TRIBUTARY_ONLY"] = ",".join(sorted(self.targets))
        # Issues are found by the beginning of their lines.
        environment["NO_COLOR"] = "1"
        # The programs with the fault, not those that ship.
        environment.pop("TRIBUTARY_PROGRAMS", None)
        if fault is not None: environment[self.variable] = str(fault)
        if reached is not None: environment["TRIBUTARY_REACHED"] = reached
        # Tests that are killed leave their folders.
        scratch = environment["TMPDIR"] = tempfile.mkdtemp(prefix="planted-")
        # A test reads its store as another user.
        os.chmod(scratch, 0o755)
        process = subprocess.Popen(command, cwd=COPY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace", start_new_session=True)
        late = threading.Event()
        timer = threading.Timer(self.limit, lambda: (late.set(), end_session(process.pid)))
        timer.daemon = True
        if fault is not None: timer.start()
        output = []
        try:
            for line in process.stdout:
                output.append(line)
                if fault is not None and ISSUE.match(line): return 1, "".join(output)
            status = process.wait()
            return None if late.is_set() else status, "".join(output)
        finally:
            timer.cancel()
            end_session(process.pid)
            process.wait()
            shutil.rmtree(scratch, ignore_errors=True)

    def test(self, filter, fault=None):
        return self.run(["swift", "test", "--skip-build", "--filter", filter], fault)

    def test_list(self):
        return self.run(["swift", "test", "list", "--skip-build"])

    def test_suites(self, suites, fault=None, reached=None):
        """Runs suites by their full names, without what `swift test` does before."""
        program = next((COPY / ".build/debug").glob("*PackageTests.xctest"))
        filters = [part for suite in suites for part in ("--filter", f"^{re.escape(suite)}/")]
        return self.run([str(ROOT / program.relative_to(COPY)), "--testing-library", "swift-testing", *filters], fault, reached)


def end_session(session):
    """Kills the processes of a session: the tests have other process groups than `swift test`."""
    while True:
        members = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try: state, _, _, member = path.read_text().rpartition(")")[2].split()[:4]
            except OSError: continue
            if int(member) == session and state not in "ZX": members.append(int(path.parent.name))
        if not members: return
        for member in members:
            try: process = os.pidfd_open(member)
            except ProcessLookupError: continue
            try:
                signal.pidfd_send_signal(process, signal.SIGKILL)
                select.select([process], [], [])
            except ProcessLookupError: pass
            finally: os.close(process)


def found_by(status, output):
    finder = ISSUE.search(output)
    return f"found by {finder[1]}" if finder else "found: it never ends" if status is None else f"found: status {status}"


def important(output):
    """The first lines that tell what is wrong."""
    return "\n".join([line for line in output.splitlines() if "error:" in line or line.startswith("✘")][:40])


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)
