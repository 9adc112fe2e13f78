"""Reads baselines, and what stores have found in them, as the specification says, for check.py."""

from check import (CLOCK, COMPARISON_NAME, FIRST_INVALID_CLOCK, HASH, LINE_BYTES, TEXT_BYTES, UUID, Refused, acknowledged,
                   change, count, ended, line_object, matching, optional_string, read_verified, string)
from log_json import Invalid

WRITERS = 65_536
SEEN_MEMBERS_TOGETHER = 1 << 20
LAST_SEQUENCE = (1 << 63) - 2
COMPARISON_BYTES = 16_384
DIFFERENCE_BYTES = 4_096


def sequence(members, key):
    value = count(members, key)
    if not 1 <= value <= LAST_SEQUENCE:
        raise Invalid(f"'{key}' is no sequence")
    return value


def clock(members):
    text = string(members, "clock")
    if CLOCK.fullmatch(text) is None or int(text, 16) >= FIRST_INVALID_CLOCK:
        raise Invalid("'clock' is no clock, or too late")
    return int(text, 16)


def rules(members, depth):
    """A text for each property of each entity of each root entity."""
    if not isinstance(members, dict):
        raise Invalid("'rules' is not as it should be")
    for key, value in members.items():
        if depth > 1:
            rules(value, depth - 1)
        else:
            string(members, key)


class Baseline:
    """A valid baseline: its vector, and how many lines of which kind it has."""

    def __init__(self, data):
        body, self.end = ended(data)
        self.writers, self.transactions, self.changes, self.seen = {}, 0, 0, 0
        self.expected, self.remaining, self.version, self.totals = None, 0, None, False
        read_verified(body, self.end, self.read)

    def read(self, body):
        lines = body.split(b"\n")[:-1]
        for index, line in enumerate(lines):
            if len(line) > LINE_BYTES:
                raise Refused("rejected", index + 1, "the line is too long")
            try:
                self.line(line)
            except Invalid as error:
                raise Refused("rejected", index + 1, str(error)) from error
        counts = {"end": len(self.writers), "transactions": self.transactions, "changes": self.changes}
        isWhole = self.expected == len(self.writers) and self.remaining == 0
        if not isWhole or any(self.end[key] != value for key, value in counts.items()):
            raise Refused("rejected", len(lines) + 1, "something is missing, or the end line counts something else")

    def line(self, line):
        if self.remaining > 0:
            self.remaining -= 1
            self.changes += 1
            change(line)
            return
        members = line_object(line)
        if self.expected is None:
            self.header(members)
        elif len(self.writers) < self.expected:
            self.writer(members)
        elif "transaction" in members and not self.totals:
            self.transaction(members)
        else:
            self.totals = True
            self.changes += 1
            self.total(members)

    def header(self, members):
        if count(members, "tributary") != 1 or count(members, "baseline") != 1:
            raise Invalid("another version of the format")
        if optional_string(members, "modelHash", TEXT_BYTES) is None:
            raise Invalid("'modelHash' is missing")
        optional_string(members, "model", TEXT_BYTES)
        rules(members.get("rules"), 3)
        if count(members, "writers") > WRITERS:
            raise Invalid("there are too many writers")
        self.expected = members["writers"]

    def writer(self, members):
        writer = matching(string(members, "writer"), UUID, "'writer'")
        if self.writers and writer <= max(self.writers):
            raise Invalid("the writers are not in order")
        if members.get("sha256") is not None:
            matching(members["sha256"], HASH, "'sha256'")
        self.seen += len(acknowledged(members.get("seen"), writer))
        if self.seen > SEEN_MEMBERS_TOGETHER:
            raise Invalid("'seen' has too many members")
        self.writers[writer] = (sequence(members, "sequence"), clock(members))

    def transaction(self, members):
        writer = matching(string(members, "writer"), UUID, "'writer'")
        last, greatest = self.writers.get(writer, (0, 0))
        time = clock(members)
        if sequence(members, "transaction") > last or time > greatest:
            raise Invalid("the transaction is not in the vector")
        version = (time, writer)
        if self.version is not None and version <= self.version:
            raise Invalid("the transactions are not in order")
        self.version, self.remaining = version, count(members, "changes")
        if self.remaining == 0:
            raise Invalid("the transaction has no changes")
        self.transactions += 1

    def total(self, members):
        if "bound" in members:
            string(members, "bound")
            if not isinstance(members.get("values"), dict) or len(members["values"]) != 1:
                raise Invalid("'values' has not one value")
        else:
            string(members, "counter")
            string(members, "property")
            totals = members.get("totals")
            if not isinstance(totals, dict):
                raise Invalid("'totals' is no object")
            for writer in totals:
                if matching(writer, UUID, "a key of 'totals'") not in self.writers:
                    raise Invalid("a total is of a writer that is not in the vector")
        matching(members.get("id"), UUID, "'id'")


def comparison(name, data):
    """The difference in a valid comparison; None for none."""
    if len(data) > COMPARISON_BYTES:
        raise Refused("rejected", None, "the file is too long")
    if not data.endswith(b"\n"):
        raise Refused("incomplete", 1, "the last byte is no line feed")
    try:
        if b"\n" in data[:-1]:
            raise Invalid("there is more than one line")
        members = line_object(data[:-1])
        if count(members, "tributary") != 1 or count(members, "comparison") != 1:
            raise Invalid("another version of the format")
        if string(members, "baseline") != "{}/{}.baseline".format(*COMPARISON_NAME.fullmatch(name).groups()):
            raise Invalid("the name is that of another baseline")
        matching(members.get("sha256"), HASH, "'sha256'")
        if "difference" not in members:
            raise Invalid("the key 'difference' is missing")
        return optional_string(members, "difference", DIFFERENCE_BYTES)
    except Invalid as error:
        raise Refused("rejected", 1, str(error)) from error
