import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The article on trust, with three machines and somebody who can write the log folder.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct TrustStoryTests {
    private let page: StoryPage

    init() throws { page = try StoryPage("Trust") }

    @Test func aFleetTakesWhatItsStoresHaveSigned() async throws {
        let settings = "trust: {mode: known}"
        let shop = try StoryMachine("shop", settings: settings)
        let office = try StoryMachine("office", settings: settings)
        let till = try StoryMachine("till-12", settings: settings)
        for machine in [shop, office, till] { try await machine.start() }
        try await shop.save(1)
        try await shop.sync()
        try StoryMachine.replicate([shop, office])
        try await office.sync()
        #expect(try await office.daemon.count("Employee") == 0)
        #expect(try await office.problems() == ["segments-held"])

        // The key of the shop is in the office's configuration from now on.
        let key = try await shop.run(page, "key").trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(key.wholeMatch(of: /[0-9a-f]{64}/) != nil, "\(key)")
        let file = office.path("/etc/tributary/tributary.yaml")
        let former = try String(contentsOfFile: file, encoding: .utf8)
        let written = former.replacing(settings, with: "trust: {mode: known, keys: [\"\(key)\"]}")
        try Data(written.utf8).write(to: URL(fileURLWithPath: file))
        try await office.run(page, "reload")
        try await office.sync()
        #expect(try await office.daemon.count("Employee") == 1)
        #expect(try await office.problems() == [])

        // A store that joins later is trusted where it is held.
        try await till.save(2)
        try await till.sync()
        try StoryMachine.replicate([till, office])
        try await office.sync()
        let tillKey = try await till.run(page, "key").trimmingCharacters(in: .whitespacesAndNewlines)
        let held = try await office.run(page, "trust", with: ["$KEY": tillKey])
        #expect(held.contains("held") && held.contains("Nobody has trusted key"), "\(held)")
        #expect(held.contains("key \(tillKey) is trusted"), "\(held)")
        // Reads show what is merged.
        try await office.sync()
        #expect(try await office.daemon.count("Employee") == 2)

        // The machine is stolen, and the thief goes on with its key.
        try await office.run(page, "revoke")
        try await till.save(3)
        try await till.sync()
        try StoryMachine.replicate([till, office])
        try await office.sync()
        #expect(try await office.daemon.count("Employee") == 2)
        let status = try await office.type("tributaryctl status").output
        #expect(status.contains("Its key \(tillKey) is revoked."), "\(status)")

        // A restart forgets nothing.
        await office.stop()
        try await office.start()
        try await office.sync()
        #expect(try await office.daemon.count("Employee") == 2)
        let keys = try await office.type("tributaryctl writer list --json").output
        #expect(keys.contains("revoked") && keys.contains("trusted") && keys.contains("own"), "\(keys)")
    }

    /// A store that is built from the log folder keeps its key, and has a label that the others do not trust yet.
    @Test func aRebuiltStoreIsTrustedUnderItsNewLabel() async throws {
        let machines = [try StoryMachine("shop"), try StoryMachine("office")]
        let (shop, office) = (machines[0], machines[1])
        var keys: [String] = []
        for machine in machines {
            try await machine.start()
            keys.append(try await machine.run(page, "key").trimmingCharacters(in: .whitespacesAndNewlines))
        }
        for (number, machine) in zip(UInt8(1)..., machines) {
            let file = machine.path("/etc/tributary/tributary.d/trust.yaml")
            let settings = "trust: {mode: known, keys: [\(keys.map { "\"\($0)\"" }.joined(separator: ", "))]}\n"
            try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
            try await machine.run(page, "reload")
            try await machine.save(number)
        }
        try await StoryMachine.expectEqualDigests(machines)
        try await shop.run(try StoryPage("Backups"), "rebuild")
        try await shop.save(3)
        try await shop.sync()
        try StoryMachine.replicate(machines)
        try await office.sync()
        #expect(try await office.problems() == ["segments-held"])
        let status = try await office.type("tributaryctl status").output
        let command = try #require(status.firstMatch(of: /tributaryctl writer trust [0-9a-f-]{36}/), "\(status)")
        #expect(try await office.type(String(command.0)).ending == .exited(0))
        try await StoryMachine.expectEqualDigests(machines)
        #expect(try await office.daemon.count("Employee") == 3)
    }

    /// Three machines share keys of their files; one of them gets each key late.
    @Test func aFleetEncryptsItsFiles() async throws {
        let page = try StoryPage("Encryption")
        let shop = try StoryMachine("shop")
        let office = try StoryMachine("office")
        for machine in [shop, office] { try await machine.start() }
        try await shop.run(page, "newkey", with: ["chgrp tributary": "chgrp $(id -g)"])
        let keys = "/etc/tributary/logs.keys"
        func encrypt(_ machine: StoryMachine) async throws {
            let settings = "encryption: {key_file: \(machine.path(keys)), required: true}\n"
            let file = machine.path("/etc/tributary/tributary.d/encryption.yaml")
            try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
            try await machine.run(self.page, "reload")
        }
        try await encrypt(shop)
        try await shop.save(1)
        try await shop.sync()
        try StoryMachine.replicate([shop, office])
        try await office.sync()
        #expect(try await office.problems() == ["segments-held"])
        let held = try await office.type("tributaryctl segment list").output
        #expect(held.contains("It is encrypted with key"), "\(held)")
        #expect(try await office.daemon.count("Employee") == 0)

        let copy = { try FileManager.default.copyItem(atPath: shop.path(keys), toPath: office.path(keys)) }
        try copy()
        try await encrypt(office)
        try await office.save(2)
        try await office.sync()
        try StoryMachine.replicate([shop, office])
        try await shop.sync()
        try await StoryMachine.expectEqualDigests([shop, office])

        try await shop.run(page, "addkey")
        let former = try String(contentsOfFile: shop.path(keys), encoding: .utf8).split(separator: "\n")
        #expect(former.count == 2)
        try FileManager.default.removeItem(atPath: office.path(keys))
        try copy()
        // The new key encrypts first on one, then on the other.
        for machine in [shop, office] {
            try Data((former.reversed().joined(separator: "\n") + "\n").utf8).write(
                to: URL(fileURLWithPath: machine.path(keys))
            )
            let reloaded = try await machine.run(self.page, "reload")
            #expect(reloaded.contains("encryption.key_file"), "\(reloaded)")
            try await machine.save(machine === shop ? 3 : 4)
            try await machine.sync()
            try StoryMachine.replicate([shop, office])
            for machine in [shop, office] { try await machine.sync() }
        }
        try await StoryMachine.expectEqualDigests([shop, office])
        #expect(try await office.problems() == [])
        let counts = try await shop.run(page, "keysinuse").split(separator: "\n").dropFirst().map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(
            counts.count == 3
                && counts.map { $0.dropFirst(2).joined(separator: " ") } == ["encrypts", "decrypts", "not encrypted"],
            "\(counts)"
        )
        #expect(
            counts.compactMap { Int($0[1]) }.reduce(0, +) == shop.files().count && counts.last?[1] == "0",
            "\(counts)"
        )

        let security = try await shop.type("tributaryctl status").output
        #expect(security.contains(/trust +any, signs with key [0-9a-f]{8}\n/), "\(security)")
        #expect(
            security.contains(/encryption +with key [0-9a-f]{8} \(of 2 keys\), required of others\n/),
            "\(security)"
        )
        #expect(try await shop.type("tributaryctl writer list").output.contains(/[0-9a-f]{8} own/))

        // The key of all older files is taken away too early.
        let both = try Data(contentsOf: URL(fileURLWithPath: shop.path(keys)))
        let newest = try #require(former.last)
        try Data("\(newest)\n".utf8).write(to: URL(fileURLWithPath: shop.path(keys)))
        let early = try await shop.type("sudo tributaryctl reload")
        #expect(early.ending == .exited(0), "\(early.output)")
        #expect(
            early.output.contains(/warning: \d+ files? of the log folder cannot be read without the removed key/),
            "\(early.output)"
        )
        try both.write(to: URL(fileURLWithPath: shop.path(keys)))
        let again = try await shop.type("sudo tributaryctl reload")
        #expect(again.ending == .exited(0) && !again.output.contains("warning"), "\(again.output)")

        // A file of keys that cannot be used changes nothing, and is told.
        try Data("none".utf8).write(to: URL(fileURLWithPath: shop.path(keys)))
        let bad = try await shop.type("tributaryctl reload")
        #expect(bad.ending == .exited(78), "\(bad.output)")
        #expect(bad.output.contains("logs.keys', line 1: it is not a key of 64 hexadecimal digits"), "\(bad.output)")
        try await shop.save(5)
        try await shop.sync()
        #expect(try await shop.problems() == [])
    }
}
