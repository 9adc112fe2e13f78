import Foundation
import TestSupport
import Testing

/// The stories of stores that are copied, moved and restored: the commands are those of the article.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct CopyStoryTests {
    private let page: StoryPage

    init() throws { page = try StoryPage.stories() }

    private func copy(_ machine: StoryMachine, to other: StoryMachine) throws {
        let place = other.path("/var/lib/tributary")
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.copyItem(atPath: machine.path("/var/lib/tributary"), toPath: place)
    }

    /// A machine that has exported one save and is stopped, with its writer.
    private func stoppedShop() async throws -> (shop: StoryMachine, writer: String) {
        let shop = try StoryMachine("shop")
        try await shop.start()
        try await shop.save(1)
        try await shop.sync()
        let writer = try await shop.writer()
        await shop.stop()
        return (shop, writer)
    }

    @Test func aStoreIsCloned() async throws {
        let (shop, former) = try await stoppedShop()
        let copy = try StoryMachine("copy")
        try self.copy(shop, to: copy)
        for machine in [shop, copy] { try await machine.start() }

        let new = try await copy.writer()
        try await copy.expectStatus(page, "clone", with: ["FORMER": former, "NEW": new])
        let list = try await copy.run(page, "clone")
        #expect(new != former && list.contains(new) && list.contains(former), "\(list)")
        #expect(try await shop.problems() == [])
        #expect(try await shop.writer() == former)
        try await shop.save(2)
        try await copy.save(3)
        try await StoryMachine.expectEqualDigests([shop, copy])
        for machine in [shop, copy] { await machine.stop() }
    }

    /// The copy sees its store at the path of the original, on a machine with the original's ID.
    @Test func nobodyNoticesAClone() async throws {
        if let reason = RunningDaemon.reasonNotToMount { try Test.cancel("\(reason)") }
        let (shop, former) = try await stoppedShop()
        let copy = try StoryMachine("copy")
        try self.copy(shop, to: copy)
        copy.mount = (copy.path("/var/lib/tributary"), shop.path("/var/lib/tributary"))
        let settings = copy.path("/etc/tributary/tributary.yaml")
        let text = try String(contentsOfFile: settings, encoding: .utf8)
        try Data(text.replacing(copy.path("/var"), with: shop.path("/var")).utf8).write(to: URL(filePath: settings))
        for machine in [shop, copy] { try await machine.start() }
        #expect(try await copy.writer() == former)
        #expect(try await copy.problems() == [])

        try await shop.save(2)
        try await shop.sync()
        try StoryMachine.replicate([shop, copy])
        try await StoryMachine.until("the clone becomes another writer", [copy]) {
            try await copy.sync()
            return try await copy.writer() != former
        }
        try await copy.expectStatus(page, "fork", with: ["FORMER": former, "NEW": copy.writer()])
        try await copy.save(3)
        try await StoryMachine.expectEqualDigests([shop, copy])
        for machine in [shop, copy] { await machine.stop() }
    }

    @Test func aStoreIsMoved() async throws {
        let (shop, former) = try await stoppedShop()
        let office = try StoryMachine("office")
        for machine in [shop, office] { try await machine.start() }
        try await StoryMachine.expectEqualDigests([shop, office])
        try await shop.save(2)

        try await shop.run(page, "move")
        shop.logs = "/srv/tributary/logs"
        #expect(try await shop.writer() == former)
        #expect(shop.daemon.journal.contains("the store was moved"), "\(shop.daemon.log)")
        try await shop.save(3)
        try await StoryMachine.expectEqualDigests([shop, office])
        for machine in [shop, office] { await machine.stop() }
    }

    @Test func aStoreComesToAnotherMachine() async throws {
        if let reason = RunningDaemon.reasonNotToMount { try Test.cancel("\(reason)") }
        let shop = try StoryMachine("shop")
        let office = try StoryMachine("office")
        shop.machineID = String(repeating: "1", count: 32)
        for machine in [shop, office] { try await machine.start() }
        try await shop.save(1)
        try await StoryMachine.expectEqualDigests([shop, office])
        let former = try await shop.writer()
        await shop.stop()

        shop.machineID = String(repeating: "2", count: 32)
        try await shop.start()
        let new = try await shop.writer()
        #expect(new != former)
        try await shop.expectStatus(page, "machine", with: ["FORMER": former, "NEW": new])
        try await shop.save(2)
        try await StoryMachine.expectEqualDigests([shop, office])
        #expect(try await office.run(page, "former", with: ["FORMER": former]).contains("evicted"))
        try await shop.save(3)
        try await StoryMachine.expectEqualDigests([shop, office])
        for machine in [shop, office] { await machine.stop() }
    }

    @Test func aStoreIsRestored() async throws {
        let shop = try StoryMachine("shop")
        let office = try StoryMachine("office")
        for machine in [shop, office] { try await machine.start() }
        try await shop.save(1)
        let former = try await shop.writer()
        let backup = try await shop.type("sudo tributaryctl backup /var/backups/tributary.sqlite")
        #expect(backup.ending == .exited(0), "\(backup)")
        try await shop.save(2)
        try await StoryMachine.expectEqualDigests([shop, office])
        // The disk fails: what is in the store's file is gone, and the daemon does not start.
        await shop.stop()
        try Data("no store".utf8).write(to: URL(filePath: shop.path("/var/lib/tributary/store.sqlite")))
        let status = try await shop.type("tributaryctl status")
        #expect(status.ending == .exited(69), "\(status)")

        let list = try await shop.run(page, "restore")
        let new = try await shop.writer()
        #expect(new != former && list.contains(new) && list.contains(former), "\(list)")
        #expect(try await shop.problems() == [])
        try await shop.save(3)
        try await StoryMachine.expectEqualDigests([shop, office])
        for machine in [shop, office] { await machine.stop() }
    }

    @Test func anOlderCopyIsPutInItsPlace() async throws {
        let (shop, former) = try await stoppedShop()
        let office = try StoryMachine("office")
        let older = shop.path("/var/backups/older")
        try FileManager.default.copyItem(atPath: shop.path("/var/lib/tributary/store.sqlite"), toPath: older)
        for machine in [shop, office] { try await machine.start() }
        try await shop.save(2)
        try await StoryMachine.expectEqualDigests([shop, office])
        await shop.stop()
        for file in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: shop.path("/var/lib/tributary/\(file)"))
        }
        try FileManager.default.copyItem(atPath: older, toPath: shop.path("/var/lib/tributary/store.sqlite"))

        try await shop.start()
        try await shop.expectStatus(page, "older", with: ["FORMER": former, "NEW": shop.writer()])
        try await shop.save(3)
        try await StoryMachine.expectEqualDigests([shop, office])
        for machine in [shop, office] { await machine.stop() }
    }
}
