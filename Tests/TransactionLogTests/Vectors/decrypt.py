#!/usr/bin/env python3
"""Decrypts a file of the log folder as the specification says (Sources/TransactionLog/TransactionLog.docc/SignaturesAndEncryption.md).

    decrypt.py KEYS FILE OUTPUT

KEYS has a line of 64 hexadecimal digits for each key. It was written from the specification alone, with the package
`cryptography`, and holds the whole file in memory.
"""

import hashlib
import json
import sys

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

PIECE, TAG = 65_536, 16


def expand(secret, info):
    return HKDFExpand(algorithm=SHA256(), length=32, info=info).derive(secret)


def key_id(secret):
    return expand(secret, b"tributary-key-id-1")[:8].hex()


def decrypted(data, secrets):
    body, end_line = data[:-1].rsplit(b"\n", 1)
    body += b"\n"
    end = json.loads(end_line)
    if hashlib.sha256(body).hexdigest() != end["sha256"]:
        sys.exit("the bytes are not those of the end line")
    header, pieces = body.split(b"\n", 1)
    pieces = pieces[:-1]
    members = json.loads(header)
    if members["tributary"] != 2:
        sys.exit("the file is not encrypted")
    secret = secrets.get(members["key"]) or sys.exit(f"there is no key {members['key']}")
    cipher = ChaCha20Poly1305(expand(secret, b"tributary-encryption-1" + bytes.fromhex(members["salt"])))
    plain = b""
    count = max(1, -(-len(pieces) // (PIECE + TAG)))
    for index in range(count):
        piece = pieces[index * (PIECE + TAG) : (index + 1) * (PIECE + TAG)]
        nonce = bytes(3) + index.to_bytes(8, "big") + bytes([index == count - 1])
        plain += cipher.decrypt(nonce, piece, header + b"\n")
    if len(plain) != end["end"]:
        sys.exit("the length is not that of the end line")
    return plain


def main(keys, file, output):
    lines = [line.strip() for line in open(keys, encoding="utf-8")]
    secrets = [bytes.fromhex(line) for line in lines if line and not line.startswith("#")]
    with open(file, "rb") as source:
        plain = decrypted(source.read(), {key_id(secret): secret for secret in secrets})
    with open(output, "wb") as target:
        target.write(plain)


if __name__ == "__main__":
    main(*sys.argv[1:])
