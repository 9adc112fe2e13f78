"""Trust.md, Encryption.md: whose files a machine takes, and how they are encrypted."""
import re, shutil

from walk_machines import LOGS, Failure, block
from walk_stories import exchange


def carry_keys(walk, source, target):
    """The operator carries the file by a way that he trusts."""
    source.knows("sudo cp /etc/tributary/logs.keys /walk/ && sudo chmod 644 /walk/logs.keys")
    shutil.copy(f"{source.shared}/logs.keys", target.shared)
    walk.type(target, "Trust", "sudo install -m 640 -g tributary /walk/logs.keys /etc/tributary/logs.keys")


def encrypt(walk, north, south, third):
    """What is published is encrypted, also after a restart, and the other machine reads it: Encryption.md."""
    walk.block(north, "Encryption", "newkey", kind="test")
    carry_keys(walk, north, south)
    for machine in (north, south):
        walk.block(machine, "Encryption", "encrypt")
        walk.type(machine, "Operating", "sudo systemctl restart tributaryd.service")
        walk.block(machine, "Installing", "doctor")
    walk.type(north, "Operating", "sudo tributaryctl object insert Employee name=Secretary")
    walk.type_until(south, "Fleet", block("read", "Fleet")[0], "Secretary")
    for machine in (north, south):
        def found():
            # grep ends with 2 when a file vanishes meanwhile, and with 1 when no segment has the name.
            status, shown, _ = machine.types("sudo grep -rl Secretary --include=*.tlog /var/lib/tributary/logs")
            return status != 2 and (status, shown)
        status, shown = walk.until("all segments are read", found)
        walk.expect(machine.files() and status == 1 and not shown, "no segment has the name", shown)
    # A further key, which encrypts when both machines have it.
    walk.block(north, "Encryption", "addkey", kind="test")
    carry_keys(walk, north, south)
    walk.block(south, "Trust", "reload", kind="test")
    for machine in (north, south):
        shown = machine.knows("tributaryctl status")
        walk.expect("(of 2 keys)" in shown, "the machine has both keys", shown)
    north.knows("sudo sed -i '1{h;d};$G' /etc/tributary/logs.keys")
    carry_keys(walk, north, south)
    for machine in (north, south):
        walk.block(machine, "Trust", "reload", kind="test")
        machine.save(f"Rekeyed-{machine.name}")
    walk.agree(north, south)
    shown = walk.block(north, "Encryption", "keysinuse", kind="test")
    counts = [line.split() for line in shown.splitlines()[1:]]
    walk.expect([" ".join(line[2:]) for line in counts] == ["encrypts", "decrypts", "not encrypted"] and
                all(int(line[1]) > 0 for line in counts[:2]), "the files are counted by their keys", shown)


def trust(walk, north, south, third):
    """Only known keys are taken; a key that nobody knows is held and can be taken back: Trust.md."""
    third.save("Known")
    exchange(north, south, third)
    walk.until("both have heard of the machine that nobody has listed", lambda: north.has("Known") and south.has("Known"))
    # Machines that are gone have left files that nobody vouches for.
    kept = " ".join(f"-not -path '*/{machine.writer()}/*'" for machine in (north, south))
    for machine in (north, south):
        machine.knows(f"cd / && sudo find {LOGS} -ignore_readdir_race -name '*.baseline' {kept} -delete -o -name '*.comparison' {kept} -delete")
    keys = []
    for machine in (north, south):
        key = re.search(r"[0-9a-f]{64}", walk.block(machine, "Trust", "key", kind="test"))
        if not key:
            raise Failure(f"{machine.name} shows no key")
        # The article has the variable in quotes.
        keys.append(f'\\"{key[0]}\\"')
    for machine in (north, south):
        walk.block(machine, "Trust", "known", values={"KEYS": ", ".join(keys)})
        walk.block(machine, "Trust", "reload", kind="test")
    walk.type(south, "Operating", "sudo tributaryctl object insert Employee name=Signed")
    walk.type_until(north, "Fleet", block("read", "Fleet")[0], "Signed")
    for machine in (north, south):
        walk.type(machine, "Stories", "sudo tributaryctl status --check")
    # A machine that nobody has listed yet.
    key = walk.block(third, "Trust", "key", kind="test").strip()
    third.save("Joined")
    for machine in (north, south):
        third.carry(machine, "*.baseline", "*.comparison")
        walk.type_until(machine, "Trust", "tributaryctl status", "held")
    shown = walk.block(north, "Trust", "trust", kind="test", values={"KEY": key})
    walk.expect("Nobody has trusted key" in shown and f"key {key} is trusted" in shown, "the held machine is trusted", shown)
    walk.block(south, "Trust", "trust", kind="test", values={"KEY": key})
    walk.until("what the trusted machine wrote is taken", lambda: north.has("Joined") and south.has("Joined"))
    # It is stolen, and the thief goes on with its key.
    for machine in (north, south):
        walk.block(machine, "Trust", "revoke", kind="test")
    before = third.files()
    third.save("Stolen")
    for machine in (north, south):
        third.carry(machine, "*.baseline", "*.comparison")
        walk.type_until(machine, "Trust", "tributaryctl status", f"Its key {key} is revoked.")
    walk.expect(not north.has("Stolen") and not south.has("Stolen"), "nothing of the stolen machine is taken")
    for file in third.files() - before:
        for machine in (north, south):
            machine.knows(f"sudo rm -f {LOGS}/{file}")
    for machine in (north, south):
        walk.until("the machines are well without what the thief wrote", lambda: machine.types("sudo tributaryctl status --check")[0] == 0)
