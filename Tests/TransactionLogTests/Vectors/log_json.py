"""JSON as the log has it: read strictly, and written in the normal form of the specification."""

import decimal
import fractions
import re

DEPTH = 8
REFERENCE_DATE = 978_307_200
SPACE = re.compile(r"[ \t\r\n]*")
STRING = re.compile(r'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"')
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
HALF = re.compile(r"[\ud800-\udfff]")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


class Invalid(Exception):
    """The bytes are not what the specification asks for."""


class NumberText(str):
    """A value that is kept as JSON text: a long number, or a string with half a surrogate pair."""


# Reading


class Text:
    """One JSON text, read from its start to its end."""

    def __init__(self, line):
        try:
            self.text = line.decode("utf-8", "strict")
        except UnicodeDecodeError as error:
            raise Invalid("the bytes are not UTF-8") from error
        self.position = 0

    def document(self):
        value = self.value(0)
        if self.next() is not None:
            raise Invalid("there is more after the value")
        return value

    def next(self):
        self.position = SPACE.match(self.text, self.position).end()
        return self.text[self.position] if self.position < len(self.text) else None

    def take(self, character):
        if self.next() != character:
            raise Invalid(f"{character!r} is missing")
        self.position += 1

    def value(self, depth):
        first = self.next()
        if first == "{":
            return self.object(depth + 1)
        if first == "[":
            return self.array(depth + 1)
        if first == '"':
            text = self.string("surrogatepass")
            return NumberText(written_string(text)) if HALF.search(text) else text
        for word, value in (("true", True), ("false", False), ("null", None)):
            if self.text.startswith(word, self.position):
                self.position += len(word)
                return value
        return self.number()

    def object(self, depth):
        self.open("{", depth)
        members = {}
        while self.next() != "}":
            if members:
                self.take(",")
            if self.next() != '"':
                raise Invalid("a key is missing")
            key = self.string()
            self.take(":")
            if key in members:
                raise Invalid(f"the key {key!r} occurs twice")
            members[key] = self.value(depth)
        self.take("}")
        return members

    def array(self, depth):
        self.open("[", depth)
        elements = []
        while self.next() != "]":
            if elements:
                self.take(",")
            elements.append(self.value(depth))
        self.take("]")
        return elements

    def open(self, bracket, depth):
        if depth > DEPTH:
            raise Invalid(f"objects and arrays are nested more than {DEPTH} deep")
        self.take(bracket)

    def string(self, errors="strict"):
        found = STRING.match(self.text, self.position)
        if found is None:
            raise Invalid("a string is not as JSON wants it")
        self.position = found.end()
        content = found.group(1)
        return unescaped(content, errors) if "\\" in content else content

    def number(self):
        found = NUMBER.match(self.text, self.position)
        if found is None:
            raise Invalid("a value is missing")
        self.position = found.end()
        text = found.group(0)
        if found.group(1) is None and found.group(2) is None:
            # Python refuses to read integers of thousands of digits.
            if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
                return NumberText(text)
            return int(text)
        double = float(text)
        if double in (float("inf"), float("-inf")) or stands_for_another_date(text, double):
            return NumberText(text)
        return double


def unescaped(content, errors):
    units = ESCAPE.sub(lambda found: character(found.group(1)), content)
    # Escaped surrogates are separate until here. Half a pair is no character; only a value may contain it.
    try:
        return units.encode("utf-16", "surrogatepass").decode("utf-16", errors)
    except UnicodeDecodeError as error:
        raise Invalid("half a surrogate pair is no character") from error


def character(escape):
    if escape[0] == "u":
        return chr(int(escape[1:], 16))
    return {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(escape, escape)


def stands_for_another_date(text, double):
    if not 1e8 < abs(double) < 1e25 or text.endswith(".0"):
        return False
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa.lstrip("-").replace(".", "")) > 1200 or (exponent and abs(int(exponent)) > 400):
        return False
    return date(text) != date(repr(double))


def date(text):
    """Seconds since 2001: rounded once, from the exact decimal number."""
    return float(fractions.Fraction(text) - REFERENCE_DATE)


# Writing


def written(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return written_double(value)
    if isinstance(value, str):
        return written_string(value)
    if isinstance(value, list):
        return "[" + ",".join(written(element) for element in value) + "]"
    return "{" + ",".join(f"{written_string(key)}:{written(member)}" for key, member in value.items()) + "}"


def written_string(text):
    names = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + re.sub(r'["\\\x00-\x1f\ud800-\udfff]', lambda found: names.get(found[0], f"\\u{ord(found[0]):04x}"), text) + '"'


def written_double(value):
    sign, digits, exponent = decimal.Decimal(repr(value)).normalize().as_tuple()
    text, mark = "".join(map(str, digits)), "-" if sign else ""
    if value == 0:
        return mark + "0.0"
    point = len(text) + exponent
    if not 1e-4 <= abs(value) <= 2**53:
        rest = "." + text[1:] if len(text) > 1 else ""
        return f"{mark}{text[0]}{rest}e{point - 1:+03d}"
    if point <= 0:
        return mark + "0." + "0" * -point + text
    return mark + text[:point].ljust(point, "0") + "." + (text[point:] or "0")


def chosen(members, *keys):
    return {key: members[key] for key in keys if members.get(key) is not None}
