import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

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

    /// The token of a machine's store in the memory of the machine.
    private func token(_ machine: StoryMachine) -> String {
        var status = stat()
        #expect(stat(machine.path("/var/lib/tributary/store.sqlite"), &status) == 0)
        return "/dev/shm/tributary-\(status.st_uid)/\(status.st_dev)-\(status.st_ino)"
    }

    /// The copy that nobody notices sees its store at the path of the original, on a machine with the original's ID.
    @Test(arguments: [true, false]) func aStoreIsCloned(isNoticed: Bool) async throws {
        if !isNoticed, let reason = RunningDaemon.reasonNotToMount { try Test.cancel("\(reason)") }
        let (shop, former) = try await stoppedShop()
        let copy = try StoryMachine("copy")
        try self.copy(shop, to: copy)
        if !isNoticed {
            copy.mount = (copy.path("/var/lib/tributary"), shop.path("/var/lib/tributary"))
            let settings = copy.path("/etc/tributary/tributary.d/place.yaml")
            let text = try String(contentsOfFile: settings, encoding: .utf8)
            try Data(text.replacing(copy.path("/var"), with: shop.path("/var")).utf8).write(to: URL(filePath: settings))
        }
        for machine in [shop, copy] { try await machine.start() }
        try await shop.save(2)
        try await copy.save(3)
        try await StoryMachine.expectEqualDigests([shop, copy])
        #expect(try await shop.writer() == former)
        let new = try await copy.writer()
        #expect(new != former)
        for machine in [shop, copy] {
            #expect(try await machine.daemon.count("Employee") == 3)
            #expect(try await machine.problems() == [])
        }
        let list = try await copy.type("tributaryctl writer list").output
        #expect(list.split(separator: "\n").count { $0.contains(/[0-9a-f]{8}-/) } == (isNoticed ? 2 : 1), "\(list)")
    }

    @Test func aStoreIsMoved() async throws {
        let (shop, former) = try await stoppedShop()
        let office = try StoryMachine("office")
        for machine in [shop, office] { try await machine.start() }
        try await StoryMachine.expectEqualDigests([shop, office])
        try await shop.save(2)

        await shop.stop()
        let (place, new) = (shop.path("/var/lib/tributary"), shop.path("/srv/tributary"))
        try FileManager.default.createDirectory(atPath: shop.path("/srv"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: place, toPath: new)
        let settings = URL(filePath: shop.path("/etc/tributary/tributary.d/place.yaml"))
        let text = try String(contentsOf: settings, encoding: .utf8)
        try Data(text.replacing(place, with: new).utf8).write(to: settings)
        shop.logs = "/srv/tributary/logs"
        try await shop.start()
        #expect(try await shop.writer() == former)
        try await shop.save(3)
        try await StoryMachine.expectEqualDigests([shop, office])
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
        try FileManager.default.removeItem(atPath: token(shop))
        try await shop.start()
        try await shop.save(2)
        try await StoryMachine.expectEqualDigests([shop, office])
        #expect(try await shop.writer() != former)
        let evict = try StoryPage("LostFiles").lines("test: evict", with: ["FORMER": former])[0]
        let evicted = try await office.type(evict)
        #expect(evicted.ending == .exited(0) && evicted.output.contains("evicted"), "\(evicted)")
        try await shop.save(3)
        try await StoryMachine.expectEqualDigests([shop, office])
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

        let page = try StoryPage("Backups")
        let list = try await shop.run(page, "restore")
        #expect(list.contains(former), "\(list)")
        try await shop.save(3)
        try await StoryMachine.expectEqualDigests([shop, office])
        #expect(try await shop.writer() != former)
        #expect(try await shop.problems() == [])
        let writers = try await office.daemon.call(.get, "/v1/writers").1["writers"] as? [[String: Any]]
        let store = try #require(writers?.first { $0["id"] as? String == former })
        #expect(try await store["writer"] as? String == shop.writer())
        #expect(store["writers"] as? Int == 2 && writers?.count == 2)
        #expect(try await office.daemon.count("Employee") == 3)
    }

    @Test func anOlderCopyIsPutInItsPlace() async throws {
        let (shop, _) = try await stoppedShop()
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
        try await shop.save(3)
        try await StoryMachine.expectEqualDigests([shop, office])
        #expect(try await shop.problems() == [])
        for machine in [shop, office] {
            #expect(try await machine.daemon.count("Employee") == 3)
            await machine.stop()
        }
    }

    /// The token was in the memory from which the machine was resumed twice.
    @Test func twoMachinesAreOne() async throws {
        let (shop, writer) = try await stoppedShop()
        let copy = try StoryMachine("copy")
        try self.copy(shop, to: copy)
        // The file and the machine would be equal too.
        try PlainSQL(path: copy.path("/var/lib/tributary/store.sqlite"))
            .execute("DELETE FROM tributary_setting WHERE key IN ('identity.machine', 'identity.store')")
        // The inode of the copy may have been that of another store.
        try? FileManager.default.removeItem(atPath: token(copy))
        try FileManager.default.copyItem(atPath: token(shop), toPath: token(copy))
        for machine in [shop, copy] { try await machine.start() }
        for (number, machine) in zip(UInt8(2)..., [shop, copy]) {
            try await machine.save(number)
            try await machine.sync()
            #expect(try await machine.writer() == writer)
        }
        let name = "\(writer)/0000000000000002-0000000000000002.tlog"
        let (right, wrong) = (shop.path("\(shop.logs)/\(name)"), copy.path("\(copy.logs)/\(name)"))
        let conflict = right.replacing(".tlog", with: ".sync-conflict-20240620-120000-ABCDEFG.tlog")
        try FileManager.default.copyItem(atPath: wrong, toPath: conflict)
        try await shop.sync()
        try await StoryMachine.until("the fork is a problem", [shop]) { try await shop.problems() != [] }
        try await shop.expectStatus(page, "fork", with: ["FORMER": writer, "SEGMENT": name])
        // The replicator has decided for the file that all others have.
        try FileManager.default.removeItem(atPath: conflict)
        try Data(contentsOf: URL(filePath: right)).write(to: URL(filePath: wrong))
        try await copy.run(try StoryPage("Backups"), "rebuild")
        try await StoryMachine.expectEqualDigests([shop, copy])
        #expect(try await copy.daemon.count("Employee") == 2)
    }
}
