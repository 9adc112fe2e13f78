#!/usr/bin/env python3
"""Holds the lines of segments against a JSON Schema, each against the part for its place in the file.

    check_schema.py SCHEMA FILE...    prints for each file "ok", or the first line that the schema refuses
"""
import json
import sys

import jsonschema


def part(index: int, count: int, line: dict) -> str:
    if index == 0:
        return "header"
    if index == count - 1:
        return "end"
    # The verb decides: a change may have any other key.
    return "change" if {"insert", "update", "delete", "link", "unlink"} & line.keys() else "begin"


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    whole = jsonschema.Draft202012Validator(schema)
    parts = {
        name: jsonschema.Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{name}"})
        for name in ("header", "begin", "change", "end")
    }
    for path in sys.argv[2:]:
        print(path, examine(path, whole, parts), sep="\t")


def examine(path: str, whole: jsonschema.Validator, parts: dict) -> str:
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")[:-1]
    for index, text in enumerate(lines):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError) as error:
            return f"line {index + 1}: {error}"
        if not isinstance(line, dict):
            return f"line {index + 1}: no object"
        validator = parts[part(index, len(lines), line)]
        for error in list(validator.iter_errors(line)) + list(whole.iter_errors(line)):
            return f"line {index + 1}: {error.message}".replace("\n", " ")
    return "ok"


main()
