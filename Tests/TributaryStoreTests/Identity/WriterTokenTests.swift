import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A store goes on as its writer as long as a token in memory proves that nobody else does, otherwise as a fresh one.
@Suite struct WriterTokenTests {
    /// A machine with stores, and a folder for tokens that vanishes with a boot.
    private final class Machine: Sendable {
        let folder: TemporaryFolder
        let difference = Atomic<Int64>(0)
        var path: String { folder.path("store.sqlite") }
        var tokens: String { folder.path("tokens") }

        init() throws {
            folder = try TemporaryFolder("store")
            try FileManager.default.createDirectory(atPath: tokens, withIntermediateDirectories: false)
        }

        func open(_ name: String = "store.sqlite", trustsReboot: Bool = false) throws -> Store {
            let clocks = { @Sendable [self] in difference.load(ordering: .relaxed) }
            return try WriterTokenTests.open(folder.path(name), tokens, clocks, trustsReboot: trustsReboot)
        }

        /// Commits a transaction in a store that is open for it alone; returns its writer.
        @discardableResult
        func save(_ name: String = "store.sqlite", trustsReboot: Bool = false) throws -> UniqueID {
            let store = try open(name, trustsReboot: trustsReboot)
            defer { try? store.close() }
            return try WriterTokenTests.save(store)
        }

        func own(_ name: String = "store.sqlite") throws -> (record: WriterRecord, history: String, count: Int) {
            let store = try open(name)
            defer { try? store.close() }
            return try store.read { (try $0.writers.own(), try $0.history.name(), try $0.writers.all().count) }
        }

        /// The path of the only token.
        func token() throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: tokens)
            return "\(tokens)/\(try #require(names.count == 1 ? names.first : nil))"
        }

        /// Gives the store's file the bytes of another one.
        func overwrite(with older: String) throws {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: older)))
            try file.close()
        }

        func boot() throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: tokens) {
                try FileManager.default.removeItem(atPath: "\(tokens)/\(name)")
            }
        }
    }

    private static func open(
        _ path: String,
        _ tokens: String?,
        _ difference: @escaping @Sendable () -> Int64 = { 0 },
        trustsReboot: Bool = false
    ) throws -> Store {
        var environment = StoreEnvironment.system
        environment.tokens = { _ in tokens }
        environment.clockDifference = difference
        var configuration = StoreConfiguration(
            path: path,
            name: "test",
            model: try SampleModel.make(),
            environment: environment
        )
        configuration.trustsReboot = trustsReboot
        return try Store.open(configuration)
    }

    @discardableResult
    private static func save(_ store: Store) throws -> UniqueID {
        try store.write { try $0.commit(LocalTransaction(changes: [])) }.writer
    }

    private let machine: Machine

    init() throws { machine = try Machine() }

    // MARK: The same writer

    @Test func aStoreGoesOnAsItsWriterWhenItIsOpenedAgain() throws {
        let writer = try machine.save()
        machine.difference.add(1_000, ordering: .relaxed)
        #expect(try machine.save() == writer)
        #expect(try machine.own().record.sequence == 2)
        // Nobody writes in the store while it only reads, and a failed transaction has not written.
        let store = try machine.open()
        #expect(throws: CancellationError.self) {
            try store.write { write in
                _ = try write.commit(LocalTransaction(changes: []))
                throw CancellationError()
            }
        }
        #expect(try Self.save(store) == writer && machine.own().record.sequence == 3)
        try store.close()
    }

    @Test func aProcessThatIsKilledLeavesTheToken() async throws {
        let writer = try machine.save()
        let ending = await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = machine.path as String, tokens = machine.tokens as String] in
            let store = try WriterTokenTests.open(path, tokens)
            for _ in 0..<3 { try WriterTokenTests.save(store) }
            kill(getpid(), SIGKILL)
        }
        #expect(ending != nil)
        #expect(try machine.save() == writer && machine.own().record.sequence == 5)
    }

    @Test func processesThatWriteInTurnAreOneWriter() async throws {
        let store = try machine.open()
        let writer = try Self.save(store)
        await #expect(processExitsWith: .success) {
            [path = machine.path as String, tokens = machine.tokens as String] in
            let store = try WriterTokenTests.open(path, tokens)
            for _ in 0..<3 { try WriterTokenTests.save(store) }
            try store.close()
        }
        #expect(try Self.save(store) == writer)
        #expect(try store.read { try $0.writers.own().sequence } == 5)
        try store.close()
    }

    // MARK: Boots

    @Test func aTrustedBootIsNoFreshWriter() throws {
        let writer = try machine.save(trustsReboot: true)
        for _ in 0..<3 {
            try machine.boot()
            // The clocks are others after a boot.
            machine.difference.add(10_000_000, ordering: .relaxed)
            #expect(try machine.save(trustsReboot: true) == writer)
        }
        // A store that is only read leaves what it had.
        try machine.boot()
        try machine.open(trustsReboot: true).close()
        try machine.open(trustsReboot: true).close()
        #expect(try machine.save(trustsReboot: true) == writer)
        #expect(try machine.own().record.sequence == 5)
        // Nobody has trusted this boot.
        try machine.boot()
        #expect(try machine.save() != writer)
        #expect(
            try !FileManager.default.contentsOfDirectory(atPath: machine.folder.path).contains("store.sqlite-token")
        )
    }

    /// What happens after a clean stop, so that a boot is not trusted.
    enum Distrust: CaseIterable { case killed, setBack, copied, garbage }

    @Test(arguments: Distrust.allCases) func aTrustedBootNeedsTheTokenOfThisStore(_ case: Distrust) async throws {
        let older = machine.folder.path("older")
        let (file, left) = (machine.path, machine.path + "-token")
        try machine.save(trustsReboot: true)
        try FileManager.default.copyItem(atPath: file, toPath: older)
        let writer = try machine.save(trustsReboot: true)
        var name = "store.sqlite"
        switch `case` {
        case .killed:
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = file as String, tokens = machine.tokens as String] in
                let store = try WriterTokenTests.open(path, tokens, trustsReboot: true)
                try WriterTokenTests.save(store)
                kill(getpid(), SIGKILL)
            }
        case .setBack: try machine.overwrite(with: older)
        case .copied:
            name = "copy.sqlite"
            for suffix in ["", "-token"] {
                try FileManager.default.copyItem(atPath: file + suffix, toPath: machine.folder.path(name) + suffix)
            }
            try FileManager.default.removeItem(atPath: file)
        case .garbage: try Data("1 2 3\nx".utf8).write(to: URL(fileURLWithPath: left))
        }
        try machine.boot()
        let fresh = try machine.save(name, trustsReboot: true)
        #expect(fresh != writer)
        try machine.boot()
        #expect(try machine.save(name, trustsReboot: true) == fresh)
    }

    // MARK: A fresh writer

    /// What happens to a store between two commits, and whether it is noticed that numbers are given again.
    enum Loss: CaseIterable {
        case boot, clock, overwritten, replaced
        var isSetBack: Bool { self == .overwritten || self == .replaced }
    }

    @Test(arguments: Loss.allCases) func aStoreWithoutProofGoesOnAsAFreshWriter(_ loss: Loss) throws {
        let older = machine.folder.path("older")
        try machine.save()
        try FileManager.default.copyItem(atPath: machine.path, toPath: older)
        if loss.isSetBack { try machine.save() }
        let before = try machine.own()
        var former = before.record
        switch loss {
        case .boot: try machine.boot()
        case .clock: machine.difference.add(1_001, ordering: .relaxed)
        case .overwritten:
            try machine.overwrite(with: older)
            former.sequence = 1
        case .replaced:
            // The inode of the file that was removed may come again.
            let token = try machine.token()
            #expect(rename(older, machine.path) == 0)
            var status = stat()
            #expect(stat(machine.path, &status) == 0)
            #expect(rename(token, "\(machine.tokens)/\(status.st_dev)-\(status.st_ino)") == 0)
            former.sequence = 1
        }
        let fresh = try machine.save()
        let after = try machine.own()
        #expect(fresh == after.record.id && fresh != former.id && after.record.sequence == 1)
        let predecessor = Incarnation.Predecessor(writer: former.id, sequence: former.sequence)
        #expect(after.record.incarnation == Incarnation(store: former.incarnation.store, after: predecessor))
        #expect(after.record.store == before.record.store)
        #expect((after.history != before.history) == loss.isSetBack)
        // It is the writer until the next loss.
        #expect(try machine.save() == fresh)
    }

    /// Numbers of history are given again, whoever has written the transactions.
    @Test func aStoreThatLacksWhatItHadImportedHasAnotherHistory() throws {
        let older = machine.folder.path("older")
        try machine.save()
        try FileManager.default.copyItem(atPath: machine.path, toPath: older)
        for sequence in 1...2 as ClosedRange<UInt64> {
            let store = try machine.open()
            let foreign = ForeignTransaction(7, sequence, clock: sequence)
            try store.write { _ = try $0.apply(foreign) }
            try store.close()
        }
        let before = try machine.own()
        try machine.overwrite(with: older)
        let after = try machine.own()
        #expect(after.history != before.history && after.record.id != before.record.id)
        #expect(after.record.store == before.record.store)
        #expect(try machine.save() == after.record.id && machine.own().history == after.history)
    }

    @Test func aStoreThatIsRenamedStaysTheSame() throws {
        let writer = try machine.save()
        let before = try machine.own()
        #expect(rename(machine.path, machine.folder.path("renamed")) == 0)
        #expect(try machine.save("renamed") == writer && machine.own("renamed").history == before.history)
        // A copy of it beside it is noticed.
        try FileManager.default.copyItem(atPath: machine.folder.path("renamed"), toPath: machine.path)
        #expect(try machine.own().record.store != before.record.store && machine.own().history != before.history)
    }

    /// A part of a transaction that is rolled back has not made the store another writer.
    @Test func aRefusedCommitProvesNothing() throws {
        let writer = try machine.save()
        try machine.boot()
        let store = try machine.open()
        try store.write { write in
            let unknown = Change(entity: "Nothing", id: .sample(1), operation: .delete)
            #expect(throws: (any Error).self) { try write.commit(LocalTransaction(changes: [unknown])) }
            try write.setSetting("test", to: "1")
        }
        #expect(try Self.save(store) != writer)
        try store.close()
    }

    @Test func aCrashWithinACommitLeavesNoToken() async throws {
        let writer = try machine.save()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = machine.path as String, tokens = machine.tokens as String] in
            let store = try WriterTokenTests.open(path, tokens)
            try store.write { write in
                _ = try write.commit(LocalTransaction(changes: []))
                kill(getpid(), SIGKILL)
            }
        }
        let fresh = try machine.save()
        let own = try machine.own()
        #expect(fresh != writer && own.record.incarnation.after == Incarnation.Predecessor(writer: writer, sequence: 1))
    }

    /// The copy of a store that goes on beside it has the label of the original only when nobody has noticed.
    @Test(arguments: [true, false]) func aCopyIsAnotherWriter(isNoticed: Bool) throws {
        let writer = try machine.save()
        if !isNoticed {
            let store = try machine.open()
            try store.write { write in
                for key in [IdentityKeys.machine, IdentityKeys.store] { try write.setSetting(key, to: nil) }
            }
            try store.close()
        }
        try FileManager.default.copyItem(atPath: machine.path, toPath: machine.folder.path("copy.sqlite"))
        let copy = try machine.save("copy.sqlite")
        #expect(try machine.save() == writer)
        #expect(try machine.save("copy.sqlite") == copy && copy != writer)
        let (original, other) = (try machine.own(), try machine.own("copy.sqlite"))
        #expect((original.record.store != other.record.store) == isNoticed)
        #expect((original.history != other.history) == isNoticed)
        #expect(other.record.incarnation.after == Incarnation.Predecessor(writer: writer, sequence: 1))
    }

    @Test func aStoreWithoutTransactionsTakesAnotherName() throws {
        let former = try machine.own()
        try machine.boot()
        let writer = try machine.save()
        let own = try machine.own()
        #expect(writer != former.record.id && own.record.id == writer && own.count == 1)
        #expect(own.record.incarnation.after == nil && own.record.store == former.record.store)
    }

    // MARK: Hostile tokens

    private static let wrong: [String] = [
        "", "garbage", String(repeating: "9", count: 100_000), "a b c d \n", "\u{0}\u{0}\u{0}",
        "WRITER 1 CLOCK 9223372036854775807 \n", "WRITER 1 CLOCK -9223372036854775808 \n", "WRITER 1 CLOCK 0 \nx",
        "WRITER 18446744073709551616 CLOCK 0 \n", "OTHER 1 CLOCK 0 \n", "WRITER 2 CLOCK 0 \n",
    ]

    @Test(arguments: wrong) func aTokenThatSaysSomethingElseProvesNothing(_ text: String) throws {
        let writer = try machine.save()
        let own = try machine.own().record
        let token = try machine.token()
        let right = try String(contentsOfFile: token, encoding: .utf8)
        let newest = "1 \(own.clock) ".padding(toLength: 63, withPad: " ", startingAt: 0) + "\n"
        #expect(right == "\(newest)\(writer) 1 \(own.clock) 0 \n")
        let wrong = text.replacing("WRITER", with: "\(writer)").replacing("CLOCK", with: "\(own.clock)")
            .replacing("OTHER", with: "\(UniqueID.sample(1))")
        try Data((newest + wrong).utf8).write(to: URL(fileURLWithPath: token), options: [])
        #expect(try machine.save() != writer)
    }

    @Test(arguments: ["link", "folder", "pipe"]) func whatIsNoFileProvesNothing(_ kind: String) throws {
        let writer = try machine.save()
        let token = try machine.token()
        #expect(rename(token, token + ".away") == 0)
        switch kind {
        case "link": #expect(symlink(token + ".away", token) == 0)
        case "folder": #expect(mkdir(token, 0o700) == 0)
        default: #expect(mkfifo(token, 0o600) == 0)
        }
        // Then the memory of the process is the proof.
        let store = try machine.open()
        let fresh = try Self.save(store)
        #expect(try fresh != writer && Self.save(store) == fresh)
        try store.close()
        #expect(try machine.save() != fresh)
    }

    @Test func aFolderThatSomebodyElseMayChangeIsNotTaken() throws {
        let user = UInt32.random(in: 1_000_000_000..<2_000_000_000)
        let path = "/dev/shm/tributary-\(user)"
        defer { rmdir(path) }
        #expect(mkdir(path, 0o700) == 0)
        #expect(WriterToken.Folder.path(of: user) == nil)
        guard chown(path, user, gid_t.max) == 0 else { return }
        #expect(WriterToken.Folder.path(of: user) == path)
        #expect(chmod(path, 0o750) == 0 && WriterToken.Folder.path(of: user) == nil)
        #expect(rmdir(path) == 0 && symlink("/tmp", path) == 0 && WriterToken.Folder.path(of: user) == nil)
        unlink(path)
    }
}
