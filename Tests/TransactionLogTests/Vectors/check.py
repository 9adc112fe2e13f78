#!/usr/bin/env python3
"""Reads segments as the specification says (Sources/TransactionLog/TransactionLog.docc/SegmentFormat.md).

It was written from the specification alone, with the standard library of Python 3.11, and holds a whole file in memory.

    check.py vectors            checks itself against the test vectors beside it
    check.py examine FILE...    prints for each file one line of JSON: its state, the line at fault and why, or the
                                SHA-256 of its normal form and whether the file is in normal form
"""

import hashlib
import json
import pathlib
import re
import sys

from log_json import Invalid, NumberText, Text, chosen, written

LINE_BYTES = 16 << 20
END_LINE_BYTES = 65_534
TEXT_BYTES = 256
SEEN_MEMBERS = 10_000
FIRST_INVALID_CLOCK = 0xFFF8A32878000000
VERBS = ("insert", "update", "delete", "link", "unlink")

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
HASH = re.compile(r"[0-9a-f]{64}", re.IGNORECASE | re.ASCII)
CLOCK = re.compile(r"[0-9a-f]{16}", re.ASCII)
FILE_NAME = re.compile(r"([0-9a-f]{16})-([0-9a-f]{16})\.tlog", re.ASCII)
BASELINE_NAME = re.compile(r"[0-9a-f]{16}\.baseline", re.ASCII)
COMPARISON_NAME = re.compile(rf"({UUID.pattern})-([0-9a-f]{{16}})\.comparison", re.ASCII)
CONFLICT_NAME = re.compile(
    r"[0-9a-f]{16}-[0-9a-f]{16}(?:[ ._-](?i:.*conflict.*)\.(?i:tlog)|-[0-9A-Za-z_.-]+\.(?i:tlog)"
    r"|\.(?i:tlog\.conflict).*|\.(?i:tlog\.\.path)[12])",
    re.ASCII | re.DOTALL,
)


class Refused(Exception):
    """The state of a file that is not valid."""

    def __init__(self, state, line, reason):
        super().__init__(reason)
        self.state, self.line, self.reason = state, line, reason


# Lines


def line_object(line):
    value = Text(line).document()
    if not isinstance(value, dict):
        raise Invalid("the line is no object")
    return value


def count(members, key):
    value = members.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Invalid(f"'{key}' is no count")
    return value


def optional_string(members, key, limit=None):
    value = members.get(key)
    if value is not None and (not isinstance(value, str) or isinstance(value, NumberText)):
        raise Invalid(f"'{key}' is no string")
    if value is not None and limit is not None and len(value.encode()) > limit:
        raise Invalid(f"'{key}' has more than {limit} bytes")
    return value


def string(members, key):
    value = optional_string(members, key)
    if value is None:
        raise Invalid(f"'{key}' is missing")
    return value


def matching(value, pattern, what):
    if not isinstance(value, str) or isinstance(value, NumberText) or pattern.fullmatch(value) is None:
        raise Invalid(f"{what} is not as it should be")
    return value.lower()


def header(line, writer, first, last):
    members = line_object(line)
    if count(members, "tributary") != 1:
        raise Invalid("another version of the format")
    if matching(string(members, "writer"), UUID, "'writer'") != writer:
        raise Invalid("the folder is another writer's")
    if (count(members, "first"), count(members, "last")) != (first, last) or not 1 <= first <= last:
        raise Invalid("the sequences are not those of the name")
    previous = members.get("previous")
    if previous is not None:
        previous = matching(previous, HASH, "'previous'")
    name, model = (optional_string(members, key, TEXT_BYTES) for key in ("name", "model"))
    normal = {"tributary": 1, "writer": writer} | chosen({"name": name}, "name")
    return normal | {"first": first, "last": last, "previous": previous} | chosen({"model": model}, "model")


def begin(line, writer, sequence, last, clock):
    members = line_object(line)
    if count(members, "transaction") != sequence or sequence > last:
        raise Invalid(f"transaction {sequence} is due")
    text = string(members, "clock")
    if CLOCK.fullmatch(text) is None or not clock < int(text, 16) < FIRST_INVALID_CLOCK:
        raise Invalid("the clock is no clock, or not after the one before, or too late")
    changes = count(members, "changes")
    normal = {"transaction": sequence, "clock": text}
    normal |= chosen({"author": optional_string(members, "author", TEXT_BYTES)}, "author")
    seen = acknowledged(members.get("seen"), writer)
    return normal | ({"seen": seen} if seen else {}) | {"changes": changes}


def acknowledged(value, writer):
    if value is None:
        return {}
    if not isinstance(value, dict) or len(value) > SEEN_MEMBERS:
        raise Invalid("'seen' is no object, or has too many members")
    seen = {}
    for key in value:
        other, sequence = matching(key, UUID, "a key of 'seen'"), count(value, key)
        if other != writer and sequence > 0:
            seen[other] = max(seen.get(other, 0), sequence)
    return dict(sorted(seen.items()))


def change(line):
    members = line_object(line)
    verbs = [verb for verb in VERBS if verb in members]
    if len(verbs) != 1:
        raise Invalid("a change has one verb")
    verb = verbs[0]
    normal = {verb: string(members, verb), "id": matching(members.get("id"), UUID, "'id'")}
    values = members.get("values", {})
    if not isinstance(values, dict):
        raise Invalid("'values' is no object")
    relationship, ids, positions = typed_links(members)
    if verb in ("insert", "update"):
        return normal | {"values": values}
    if verb == "delete":
        return normal
    if relationship is None or ids is None:
        raise Invalid("'to' or 'ids' is missing")
    if positions is not None and len(positions) != len(ids):
        raise Invalid("there are more or fewer positions than IDs")
    normal |= {"to": relationship, "ids": ids}
    return normal | ({"positions": positions} if verb == "link" and positions is not None else {})


def typed_links(members):
    """The keys of links, which have their type in every change."""
    relationship = string(members, "to") if "to" in members else None
    ids = None
    if "ids" in members:
        if not isinstance(members["ids"], list):
            raise Invalid("'ids' is no array")
        ids = [matching(element, UUID, "one of 'ids'") for element in members["ids"]]
    positions = members.get("positions")
    if positions is not None and (
        not isinstance(positions, list)
        or any(not isinstance(position, str) or isinstance(position, NumberText) for position in positions)
    ):
        raise Invalid("'positions' is no array of strings")
    return relationship, ids, positions


def end(line):
    members = line_object(line)
    normal = {"end": count(members, "end"), "transactions": count(members, "transactions")}
    return normal | {"changes": count(members, "changes"), "sha256": matching(members.get("sha256"), HASH, "'sha256'")}


# Files


def classify(folder, name):
    """The kind of the file `name` in the folder `folder` of the log."""
    if UUID.fullmatch(folder) is None or folder != folder.lower():
        return "other"
    if FILE_NAME.fullmatch(name):
        return "segment"
    if BASELINE_NAME.fullmatch(name):
        return "baseline"
    if COMPARISON_NAME.fullmatch(name):
        return "comparison"
    return "conflict copy" if CONFLICT_NAME.fullmatch(name) else "other"


def read_verified(body, end, read):
    """Has the lines before the end line read; a wrong hash is reported before a wrong line."""
    fault = None
    try:
        read(body)
    except Refused as refusal:
        fault = refusal
    if hashlib.sha256(body).hexdigest() != end["sha256"]:
        raise Refused("damaged", None, "the hash is that of other bytes")
    if fault is not None:
        raise fault


class Segment:
    """A valid segment, in normal form."""

    def __init__(self, writer, name, data):
        if classify(writer, name) != "segment":
            raise Refused("misnamed", None, "it has not the name of a segment")
        self.writer = writer
        self.first, self.last = (int(part, 16) for part in FILE_NAME.fullmatch(name).groups())
        body, self.end = ended(data)
        read_verified(body, self.end, self.read)

    def read(self, body):
        lines = body.split(b"\n")[:-1]
        if not lines:
            raise Refused("rejected", 1, "there is no header")
        self.header = self.checked(lines, 0, lambda line: header(line, self.writer, self.first, self.last))
        self.transactions = []
        index, sequence, clock = 1, self.first, 0
        while index < len(lines):
            opening = self.checked(lines, index, lambda line: begin(line, self.writer, sequence, self.last, clock))
            clock = int(opening["clock"], 16)
            changes = []
            for index in range(index + 1, index + 1 + opening["changes"]):
                if index == len(lines):
                    raise Refused("rejected", index + 1, "changes are missing")
                changes.append(self.checked(lines, index, change))
                if "delete" in changes[-1] and any("delete" not in earlier for earlier in changes[-2:]):
                    raise Refused("rejected", index + 1, "a deletion after another change")
            self.transactions.append((opening, changes))
            index, sequence = index + 1, sequence + 1
        counts = {"end": sequence - 1, "transactions": len(self.transactions)}
        counts["changes"] = sum(len(changes) for _, changes in self.transactions)
        if counts["end"] != self.last or any(self.end[key] != value for key, value in counts.items()):
            raise Refused("rejected", len(lines) + 1, "the end line counts something else")

    @staticmethod
    def checked(lines, index, parse):
        if len(lines[index]) > LINE_BYTES:
            raise Refused("rejected", index + 1, "the line is too long")
        try:
            return parse(lines[index])
        except Invalid as error:
            raise Refused("rejected", index + 1, str(error)) from error

    def body(self):
        lines = [self.header]
        for opening, changes in self.transactions:
            lines += [opening] + changes
        return "".join(written(line) + "\n" for line in lines).encode()

    def bytes(self):
        body = self.body()
        return body + (written(self.end | {"sha256": hashlib.sha256(body).hexdigest()}) + "\n").encode()

    def parse(self):
        transactions = [{"begin": opening, "changes": changes} for opening, changes in self.transactions]
        return {"header": self.header, "transactions": transactions, "end": self.end}


def ended(data):
    """The bytes before the end line, and the end line."""
    if not data.endswith(b"\n"):
        raise Refused("incomplete", None, "the last byte is no line feed")
    start = data.rfind(b"\n", 0, len(data) - 1) + 1
    line = data[start:-1]
    if len(line) > END_LINE_BYTES:
        raise Refused("incomplete", None, "the last line is too long for an end line")
    try:
        return data[:start], end(line)
    except Invalid as error:
        raise Refused("incomplete", None, f"the last line is no end line: {error}") from error


def examine(path, data):
    """The state of the file whose last two path components are its folder and its name."""
    from baseline import Baseline, comparison

    try:
        kind = classify(*path.parts[-2:])
        if kind == "baseline":
            Baseline(data)
            return {"state": "valid"}
        if kind == "comparison":
            return {"state": "valid", "difference": comparison(path.name, data)}
        segment = Segment(path.parts[-2], path.parts[-1], data)
    except Refused as refusal:
        return {"state": refusal.state, "line": refusal.line, "reason": refusal.reason}
    normal = segment.bytes()
    return {"state": "valid", "normal": hashlib.sha256(normal).hexdigest(), "isNormal": normal == data}


def check_vectors(folder):
    index = json.loads((folder / "index.json").read_text())
    faults = []

    def compare(name, what, found, expected):
        if found != expected:
            faults.append(f"{name}: {what} is {found!r}, not {expected!r}")

    for vector in index["segments"]:
        name, data = vector["file"], (folder / vector["file"]).read_bytes()
        compare(name, "the hash of the file", hashlib.sha256(data).hexdigest(), vector["sha256"])
        result = examine(pathlib.PurePosixPath(vector["path"]), data)
        compare(name, "the state", result["state"], vector["state"])
        if vector["state"] == "rejected":
            compare(name, "the line", result["line"], vector["line"])
        if vector["state"] == "valid" and result["state"] == "valid":
            compare(name, "the hash of the normal form", result["normal"], vector["normal"])
            segment = Segment(*pathlib.PurePosixPath(vector["path"]).parts[-2:], data)
            expected = (folder / vector["parse"]).read_text()
            compare(name, "the parse", written(segment.parse()) + "\n", expected)
    for vector in index["comparisons"]:
        name, data = vector["file"], (folder / vector["file"]).read_bytes()
        compare(name, "the hash of the file", hashlib.sha256(data).hexdigest(), vector["sha256"])
        result = examine(pathlib.PurePosixPath(vector["path"]), data)
        compare(name, "the state", result["state"], vector["state"])
        compare(name, "the difference", result.get("difference"), vector.get("difference"))
    for vector in index["names"]:
        kind = classify(vector["folder"], vector["name"])
        compare(f"{vector['folder']}/{vector['name']}", "the kind", kind, vector["kind"])
    return faults


def main(arguments):
    if arguments == ["vectors"]:
        faults = check_vectors(pathlib.Path(__file__).parent)
        print("\n".join(faults) if faults else "all vectors agree")
        return 1 if faults else 0
    if len(arguments) < 2 or arguments[0] != "examine":
        print(__doc__, file=sys.stderr)
        return 64
    for name in arguments[1:]:
        path = pathlib.Path(name)
        print(json.dumps({"file": name} | examine(path, path.read_bytes())))
    return 0


if __name__ == "__main__":
    # The reader of baselines takes this very module.
    sys.modules["check"] = sys.modules["__main__"]
    sys.exit(main(sys.argv[1:]))
