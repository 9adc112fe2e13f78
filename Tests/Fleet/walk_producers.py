"""Producers.md: a producer that signs, and a follower."""
import re

from walk_machines import block


def produce(walk, north, south, third):
    """A producer counts for a store of its own, and signs what it writes: Producers.md."""
    north.knows("sudo apt-get install --yes --no-install-recommends openssl python3 sqlite3")
    north.knows("sudo usermod --append --groups tributary-logs anna")
    north.knows("printf 'model: /usr/share/doc/tributary/examples/producers/gate.yaml\\n' | sudo tee /etc/tributary/gate.yaml && "
                "sudo systemctl start tributaryd@gate.service")
    values = {"LOGS": "/var/lib/tributary-gate/logs", "STATE": "gate.state"}
    shown = walk.block(north, "Producers", "producer", kind="test", values=values)
    walk.expect(shown.count(": valid, ") == 2, "two runs write two valid segments", shown)
    listing = "tributaryctl --instance gate object list Gate"
    walk.type_until(north, "Producers", listing, re.compile(r"north-1 +9\b"))
    north.knows("printf 'trust: {mode: known}\\n' | sudo install -D -m 644 /dev/stdin /etc/tributary/gate.d/trust.yaml && "
                "sudo tributaryctl --instance gate reload")
    north.knows("printf '5\\n' | python3 /usr/share/doc/tributary/examples/producers/gate.py /var/lib/tributary-gate/logs gate.state north-1")
    writer = re.search(r'"writer": "([^"]+)"', north.knows("cat gate.state"))[1]
    walk.type_until(north, "Producers", "tributaryctl --instance gate status", "held")
    shown = walk.block(north, "Producers", "sign", kind="test", values=values | {"WRITER": writer})
    walk.expect(shown.count(": signed") == 3, "three segments are signed", shown)
    trust = re.search(rf"tributaryctl writer trust {writer} --key [0-9a-f]{{64}}", shown)
    walk.expect(trust, "the command prints what to type", shown)
    north.knows("sudo " + trust[0].replace("tributaryctl", "tributaryctl --instance gate"))
    walk.type_until(north, "Producers", listing, re.compile(r"north-1 +14\b"))
    north.knows("tributaryctl --instance gate status --check")


def follow(walk, north, south, third):
    """A follower keeps an index of a store: Producers.md."""
    ann = re.search(r"^(\S+).* Ann ", north.knows("tributaryctl object list Employee"), re.M)[1]
    program, question = block("follow", "Producers")
    walk.type(north, "Producers", program)
    walk.type_until(north, "Producers", question, ann)
    identifier = north.knows("tributaryctl object insert Employee name=Followed")
    walk.type_until(north, "Producers", question.replace("ann", "followed"), identifier)
