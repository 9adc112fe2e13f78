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
}
