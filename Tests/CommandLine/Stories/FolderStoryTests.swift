import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The stories of lost folders and lost segments, of machines that are gone, and of new ones: the commands are those of the
/// article.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct FolderStoryTests {
    private let page: StoryPage

    init() throws { page = try StoryPage("LostFiles") }

    private func machines(_ names: String..., settings: String = "") async throws -> [StoryMachine] {
        let machines = try names.map { try StoryMachine($0, settings: settings) }
        for machine in machines { try await machine.start() }
        return machines
    }

    @Test func theOwnFolderIsLost() async throws {
        let machines = try await machines("shop", "office")
        let shop = machines[0]
        try await shop.save(1)
        try await shop.sync()
        let writer = try await shop.writer()
        try FileManager.default.removeItem(atPath: shop.path("\(shop.logs)/\(writer)"))
        try await shop.save(2)
        try await shop.sync()

        try await shop.expectStatus(page, "folder", with: ["WRITER": writer])
        try await shop.run(page, "folder", with: ["WRITER": writer])
        try await StoryMachine.expectEqualDigests(machines)
        #expect(try await machines[1].daemon.count("Employee") == 2)
    }

    /// The lines of a segment outlast a restart, until another store has acknowledged them.
    @Test func aSegmentOfThisStoreIsLost() async throws {
        let shop = try await machines("shop")[0]
        for number in 1...3 as ClosedRange<UInt8> {
            try await shop.save(number)
            try await shop.sync()
        }
        let (writer, files) = (try await shop.writer(), shop.files())
        await shop.stop()
        try await shop.start()
        let lost = try #require(files.sorted().dropFirst().first)
        let place = shop.path("\(shop.logs)/\(lost)")
        let content = try Data(contentsOf: URL(filePath: place))
        try FileManager.default.removeItem(atPath: place)
        try await StoryMachine.until("the missing segment is a problem", [shop]) {
            try await shop.sync()
            return try await shop.problems() == ["own-segments-missing"]
        }
        try await shop.expectStatus(page, "missing", with: ["WRITER": writer])
        try await shop.run(page, "missing")
        #expect(try Data(contentsOf: URL(filePath: place)) == content)
        try await StoryMachine.until("the problem has ended", [shop]) { try await shop.problems() == [] }
        #expect(shop.files() == files)
    }

    /// The status names a damaged segment at once and after a restart, until the store has published it again.
    @Test(arguments: [false, true]) func aSegmentOfThisStoreIsDamaged(inTheMiddle: Bool) async throws {
        let shop = try await machines("shop")[0]
        for number in 1...3 as ClosedRange<UInt8> {
            try await shop.save(number)
            try await shop.sync()
        }
        let files = shop.files()
        let damaged = try #require(files.sorted().dropFirst().first)
        let place = URL(filePath: shop.path("\(shop.logs)/\(damaged)"))
        let content = try Data(contentsOf: place)
        var other = content
        other[inTheMiddle ? other.count / 3 : other.count - 3] ^= 1
        try other.write(to: place)
        for _ in 1...2 {
            try await StoryMachine.until("the damaged segment is a problem", [shop]) {
                try await shop.sync()
                return try await shop.problems() == ["own-segments-missing"]
            }
            let text = try await shop.type("tributaryctl status").output
            #expect(text.contains("A segment of this store is damaged in the log folder"), "\(text)")
            #expect(text.contains("hint: To publish it again: tributaryctl check --repair"), "\(text)")
            await shop.stop()
            try await shop.start()
        }
        try await shop.run(page, "missing")
        #expect(try Data(contentsOf: place) == content)
        try await StoryMachine.until("the problem has ended", [shop]) { try await shop.problems() == [] }
        #expect(shop.files() == files)
    }

    /// The hint removes what is in the place of the segment, and publishes the segment again.
    @Test func aFolderIsInThePlaceOfASegmentOfThisStore() async throws {
        let shop = try await machines("shop")[0]
        for number in 1...3 as ClosedRange<UInt8> {
            try await shop.save(number)
            try await shop.sync()
        }
        let files = shop.files()
        let name = "\(shop.logs)/\(try #require(files.sorted().dropFirst().first))"
        let place = shop.path(name)
        let content = try Data(contentsOf: URL(filePath: place))
        await shop.stop()
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try await shop.start()
        try await StoryMachine.until("the missing segment is a problem", [shop]) {
            try await shop.sync()
            return try await shop.problems() == ["own-segments-missing", "segments-rejected"]
        }
        let text = try await shop.type("tributaryctl status").output
        let command = "rm -r \(name) && tributaryctl check --repair"
        for beginning in ["To publish it again", "Remove it"] {
            #expect(text.contains("hint: \(beginning): \(command)"), "\(text)")
        }
        let answer = try await shop.type(command)
        #expect(answer.ending == .exited(0), "\(answer)")
        #expect(try Data(contentsOf: URL(filePath: place)) == content)
        #expect(shop.files() == files)
    }

    @Test func theWholeFolderIsLost() async throws {
        let machines = try await machines("shop", "office")
        let (shop, office) = (machines[0], machines[1])
        for (number, machine) in zip(UInt8(1)..., machines) { try await machine.save(number) }
        try await StoryMachine.expectEqualDigests(machines)
        let writer = try await shop.writer()
        try FileManager.default.removeItem(atPath: shop.path(shop.logs))
        try await shop.save(3)
        try await shop.sync()

        try await shop.expectStatus(page, "folders")
        let output = try await shop.run(
            page,
            "folders",
            // Accounts that only the package makes.
            with: ["WRITER": writer, "-o tributary -g tributary-logs ": ""]
        )
        #expect(output.contains(try await office.writer()), "\(output)")
        try await StoryMachine.expectEqualDigests(machines)
        try await shop.run(page, "brought")
        #expect(try await office.daemon.count("Employee") == 3)
        // The replicator has brought the rest: a new machine can begin with this folder.
        let check = try await shop.type("sudo tributaryctl check")
        #expect(check.ending == .exited(0) && check.output.contains("is equal"), "\(check)")
    }

    @Test func transactionsOfAMachineAreLost() async throws {
        let machines = try await machines("shop", "office")
        var gone = RunningDaemon.foreignWriter()
        var lost = ""
        var kept = Data()
        for number in 1...3 as ClosedRange<UInt8> {
            let aside = machines[0].path("/aside")
            let path = try gone.write([[RunningDaemon.insertion(number)]], to: aside)
            let place = path.replacing(aside, with: machines[0].path(machines[0].logs))
            // The daemon runs: it must never see the segment that is lost.
            if number == 2 {
                (lost, kept) = (place, try Data(contentsOf: URL(filePath: path)))
            } else {
                let folder = (place as NSString).deletingLastPathComponent
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try FileManager.default.moveItem(atPath: path, toPath: place)
            }
        }
        try StoryMachine.replicate(machines)
        for machine in machines {
            try await StoryMachine.until("the gap is a problem", [machine]) {
                try await machine.sync()
                return try await !machine.problems().isEmpty
            }
            try await machine.expectStatus(page, "lost", with: ["FORMER": gone.id])
            #expect(try await machine.run(page, "lost", with: ["FORMER": gone.id]).contains("abandoned"))
            #expect(try await machine.problems() == [])
        }
        try await machines[0].save(9)
        try await StoryMachine.expectEqualDigests(machines)
        #expect(try await machines[1].daemon.count("Employee") == 2)
        // The lost segment turns up.
        try kept.write(to: URL(filePath: lost))
        try await StoryMachine.expectEqualDigests(machines)
        #expect(try await machines[1].daemon.count("Employee") == 4)
    }

    @Test func aMachineIsGoneAndComesBack() async throws {
        let all = try await machines("shop", "office", "till", settings: "retention: {keep_segments: 1ms}")
        // A writer that has never acknowledged anything is not waited for.
        for first in [1, 4] as [UInt8] {
            for (number, machine) in zip(first..., all) { try await machine.save(number) }
            try await StoryMachine.expectEqualDigests(all)
        }
        let till = all[2]
        let gone = try await till.writer()
        await till.stop()
        let here = Array(all[0...1])
        let shop = here[0]
        let values = ["FORMER": gone]
        var number: UInt8 = 10
        try await StoryMachine.until("a verified baseline waits for the machine alone", here) {
            for machine in here {
                try await machine.save(number)
                number += 1
                _ = try await machine.type("tributaryctl compact")
            }
            try await exchange(here)
            let output = try await shop.run(page, "gone")
            return StoryPage.matches(output, try page.lines("output: gone", with: values))
        }
        let before = try await shop.writer()
        let own = shop.files().filter { $0.hasPrefix(before) && $0.hasSuffix(".tlog") }
        try await StoryMachine.until("segments go", here) {
            for machine in here { try await machine.run(page, "evict", with: values) }
            if !own.isSubset(of: shop.files()) { return true }
            try await exchange(here)
            return false
        }

        try await till.start()
        try await till.save(200)
        try await StoryMachine.expectEqualDigests(all)
        let list = try await shop.type("tributaryctl writer list").output
        #expect(!list.contains("evicted"), "\(list)")
    }

    /// Replicates and synchronizes a few times, so that acknowledgements arrive.
    private func exchange(_ machines: [StoryMachine]) async throws {
        for _ in 0..<2 {
            try StoryMachine.replicate(machines)
            for machine in machines { try await machine.sync() }
        }
    }

    @Test func aNewMachineBeginsWithSegments() async throws {
        let machines = try await machines("shop")
        let shop = machines[0]
        for number in 1...5 as ClosedRange<UInt8> { try await shop.save(number) }
        try await shop.sync()
        let new = try StoryMachine("new")
        for file in shop.files() { try shop.carry(file, to: new) }
        let page = try StoryPage("NewMachine")
        let output = try await new.run(page, "new")
        #expect(output.contains(try await shop.digest()), "\(output)")
        #expect(try await new.status()["initialImportComplete"] as? Bool == true)
        try await new.save(9)
        try await StoryMachine.expectEqualDigests([shop, new])
    }
}
