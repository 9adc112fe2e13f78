import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// Everybody who writes into a log folder can guess the next name of a store's segments, and take it.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct TakenNameTests {
    private struct Kill: Error {}

    enum Obstacle: CaseIterable, Sendable {
        case empty, garbage, headerAlone, otherTransactions, damaged, unknownKey, folder, fullFolder
        case danglingLink, circle, linkToSegment, pipe, socket

        /// Takes the name, after what has it.
        func take(_ name: SegmentName, in logs: LogsFolder) throws {
            let (files, path) = (FileManager.default, "\(logs.path)/\(name.path)")
            try? files.removeItem(atPath: path)
            let folder = (path as NSString).deletingLastPathComponent
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            var segment = LogsFolder.text(name.writer, name.first...name.last, base: 900).bytes()
            switch self {
            case .empty: try logs.put([], at: name)
            case .garbage: try logs.put(Array("no segment".utf8), at: name)
            case .headerAlone: try logs.put(Array(segment.prefix { $0 != 0x0A }) + [0x0A], at: name)
            case .otherTransactions: try logs.put(segment, at: name)
            case .damaged:
                segment[segment.count / 2] ^= 1
                try logs.put(segment, at: name)
            case .unknownKey:
                let keys = try EncryptionKeys(text: String(repeating: "c3", count: 32))
                let header = SegmentHeader(writer: name.writer, first: name.first, last: name.last)
                _ = try LogFolder(path: logs.path, keys: keys).publish(name, header: header.line) { _ in }
            case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            case .fullFolder: try files.createDirectory(atPath: path + "/full", withIntermediateDirectories: true)
            case .danglingLink: try files.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
            case .circle: try files.createSymbolicLink(atPath: path, withDestinationPath: path)
            case .linkToSegment:
                try Data(segment).write(to: URL(filePath: logs.folder.path("elsewhere")))
                try files.createSymbolicLink(atPath: path, withDestinationPath: logs.folder.path("elsewhere"))
            case .pipe: try #require(mkfifo(path, 0o666) == 0)
            case .socket: try #require(mknod(path, S_IFSOCK | 0o666, 0) == 0)
            }
        }
    }

    private let logs: LogsFolder
    private let wall = SyncWall()
    private let model: Model

    init() throws {
        logs = try LogsFolder()
        model = try Model(yaml: EmployeeModel.text(adding: "visits: {type: Integer 64, default: 0, merge: counter}"))
    }

    private func start(_ folder: TemporaryFolder? = nil, name: String = "test") async throws -> SyncReplica {
        try await SyncReplica(logs.path, wall: wall, folder: folder, name: name, model: model)
    }

    /// A store with two saves that are not exported.
    private func saved() throws -> (TemporaryFolder, Store) {
        let folder = try TemporaryFolder("taken")
        let store = try SyncModel.open(in: folder, wall: wall, model: model)
        try save(SyncModel.insert(1), in: store)
        try save(Self.visit(100), in: store)
        return (folder, store)
    }

    private static func visit(_ count: Int64) -> Change {
        SyncModel.update(1, "visits", .object([JSONMember(key: "increment", value: .integer(count))]))
    }

    private static func visits(_ store: Store) throws -> PropertyValue? {
        try store.read { reader in
            guard let row = try reader.row(SyncModel.employee(1), rootEntity: "Employee") else { return nil }
            return row.entity.properties.firstIndex { $0.name == "visits" }.map { row.values[$0] }
        }
    }

    private func own(_ store: Store) throws -> WriterRecord { try store.read { try $0.writers.own() } }

    /// Checks that a new replica has the state of this one, and that both have counted each visit once.
    private func expectEqualPeer(_ replica: SyncReplica, visits: Int64) async throws {
        let peer = try await start(name: "peer")
        for replica in [peer, replica, peer] { _ = try await replica.service.sync() }
        for replica in [peer, replica] { #expect(try Self.visits(replica.store) == .integer(visits)) }
        let digests = try [peer, replica].map { try $0.store.read { try $0.mergeState.digest().digest } }
        #expect(Set(digests).count == 1)
        try await peer.stop()
    }

    /// The same for a store without a service.
    private func expectEqualPeer(_ store: Store, in folder: TemporaryFolder, visits: Int64) async throws {
        try store.close()
        let replica = try await start(folder)
        try await expectEqualPeer(replica, visits: visits)
        try await replica.stop()
    }

    private func exporter(
        _ store: Store,
        baselines: [KnownBaseline] = [],
        interrupt: @escaping @Sendable (Exporter.Step) throws -> Void = { _ in }
    ) -> Exporter {
        Exporter(
            store: store,
            configuration: SyncConfiguration(logs: logs.path),
            wall: wall.now,
            baselines: baselines,
            interrupt: interrupt
        )
    }

    private func save(_ change: Change, in store: Store) throws {
        _ = try store.write { try $0.commit(LocalTransaction(changes: [change])) }
    }

    @Test(arguments: Obstacle.allCases)
    func theStoreContinuesAsAFreshWriterAndReportsTheFile(_ obstacle: Obstacle) async throws {
        let replica = try await start()
        try replica.save([SyncModel.insert(1)])
        try replica.save([Self.visit(100)])
        try await replica.service.exportNow()
        let name = SegmentName(writer: replica.own, first: 3, last: 4)
        for count in [20, 3] as [Int64] { try replica.save([Self.visit(count)]) }
        try obstacle.take(name, in: logs)
        try await replica.service.exportNow()
        let fresh = try own(replica.store)
        #expect(fresh.id != replica.own && replica.service.ownWriter == fresh.id)
        #expect(fresh.incarnation.after == Incarnation.Predecessor(writer: replica.own, sequence: 2))
        #expect(logs.segments(of: fresh.id).map(\.last) == [2])

        let path = "\(logs.path)/\(name.path)"
        let problem = try #require(replica.service.status.problems.first { $0.code == .nameTaken })
        #expect(problem.file == path && problem.detail.contains(path), "\(problem)")
        // Other transactions may be the store's own, from before its machine was set back.
        let isClaim = obstacle == .otherTransactions
        #expect(problem.hint?.contains("rm -r \(path)") == !isClaim, "\(problem)")
        try await expectEqualPeer(replica, visits: 123)
        if isClaim {
            try await replica.service.exportNow()
            #expect(replica.service.status.problems.isEmpty, "\(replica.service.status.problems)")
            return
        }

        // The problem outlasts a restart, and ends with the file.
        try await replica.stop()
        let again = try await start(replica.folder)
        try await again.service.exportNow()
        #expect(again.service.status.problems.contains { $0.code == .nameTaken && $0.since == problem.since })
        try FileManager.default.removeItem(atPath: path)
        try await again.service.exportNow()
        _ = try await again.service.sync()
        #expect(again.service.status.problems.isEmpty, "\(again.service.status.problems)")
        try again.save([Self.visit(1_000)])
        try await again.service.exportNow()
        #expect(logs.segments(of: replica.own).map(\.last) == [2])
        try await expectEqualPeer(again, visits: 1_123)
    }

    /// The folder of the writer is taken, which has exported nothing yet.
    @Test func aFileInThePlaceOfAWritersFolderIsNamed() async throws {
        let replica = try await start()
        try replica.save([SyncModel.insert(1)])
        try replica.save([Self.visit(7)])
        try Data("x".utf8).write(to: URL(filePath: "\(logs.path)/\(replica.own)"))
        try await replica.service.exportNow()
        #expect(logs.segments(of: try own(replica.store).id).map(\.last) == [2])
        let problem = replica.service.status.problems.first { $0.code == .nameTaken }
        #expect(problem?.file == "\(logs.path)/\(replica.own)")
        try await expectEqualPeer(replica, visits: 7)
    }

    /// The process ends between the record of a segment and its name, and the name is taken before the next start.
    @Test(arguments: Obstacle.allCases)
    func aSegmentThatWasNotInItsPlaceGetsAnotherName(_ obstacle: Obstacle) async throws {
        let (folder, store) = try saved()
        let (former, logs) = (try own(store).id, logs)
        let killed = exporter(store) { step in
            guard case .begun(let name) = step else { return }
            try obstacle.take(name, in: logs)
            throw Kill()
        }
        #expect(throws: Kill.self) { try killed.run() }
        #expect(try store.read { try $0.outbox.unfinishedExports().count } == 1)
        try save(Self.visit(20), in: store)
        #expect(try exporter(store).run().transactions == 3)
        let fresh = try own(store).id
        #expect(fresh != former && logs.segments(of: fresh).map(\.last) == [3])
        #expect(try store.read { try $0.outbox.unfinishedExports().isEmpty })
        let staged = try FileManager.default.contentsOfDirectory(atPath: "\(logs.path)/.staging/\(former)")
        #expect(staged.isEmpty, "\(staged)")
        try await expectEqualPeer(store, in: folder, visits: 120)
    }

    /// The process ends after a segment was in its place: others may have it, so it keeps its name.
    @Test(arguments: Obstacle.allCases.filter { $0 != .unknownKey })
    func aSegmentThatWasInItsPlaceKeepsItsName(_ obstacle: Obstacle) async throws {
        let (folder, store) = try saved()
        let (former, logs) = (try own(store).id, logs)
        let name = SegmentName(writer: former, first: 1, last: 2)
        let killed = exporter(store) { if case .placed = $0 { throw Kill() } }
        #expect(throws: Kill.self) { try killed.run() }
        let peer = try await start(name: "early")
        _ = try await peer.service.sync()
        let bytes = logs.bytes(of: name)
        try obstacle.take(name, in: logs)
        try save(Self.visit(20), in: store)
        for _ in 0..<2 {
            let failure = #expect(throws: ExportFailure.self) { try exporter(store).run() }
            guard case .nameTaken(let file, let reason, _)? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(file == "\(logs.path)/\(name.path)" && reason.contains("Others may have"))
        }
        #expect(try own(store).id == former)
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(name.path)")
        #expect(try exporter(store).run().segments == 2)
        #expect(logs.bytes(of: name) == bytes)
        _ = try await peer.service.sync()
        #expect(try Self.visits(peer.store) == .integer(120))
        try await peer.stop()
        try await expectEqualPeer(store, in: folder, visits: 120)
    }

    enum Claim: CaseIterable, Sendable { case segment, baseline, knownBaseline }

    /// Somebody writes as this store, or its machine was set back with its memory: later names are taken, too.
    @Test(arguments: Claim.allCases) func laterTransactionsOfTheWriterTakeItsNames(_ claim: Claim) throws {
        let (_, store) = try saved()
        let former = try own(store).id
        try exporter(store).run()
        try save(Self.visit(20), in: store)
        let later = SegmentName(writer: former, first: 5, last: 9)
        var baselines: [KnownBaseline] = []
        var path = later.path
        switch claim {
        case .segment: try logs.put(LogsFolder.text(former, 5...9, base: 900).bytes(), at: later)
        case .baseline:
            path = BaselineName(writer: former, sequence: 9).path
            try logs.put(Array("{}".utf8), at: path)
        case .knownBaseline:
            let name = BaselineName(writer: LogsFolder.writer(9), sequence: 1)
            path = name.path
            let vector = VersionVector([name.writer: 1, former: 9])
            baselines = [KnownBaseline(name: name, modelHash: "", vector: vector, sha256: "", bytes: 0)]
        }
        try exporter(store, baselines: baselines).run()
        let fresh = try own(store)
        #expect(fresh.id != former && logs.segments(of: fresh.id).map(\.last) == [1])
        #expect(logs.segments(of: former).map(\.first).contains(3) == false)
        let taken = try store.read { try TakenNames($0) }
        #expect(taken.entries.map(\.path) == [path] && taken.entries.first?.reason.contains("\(former)") == true)
        #expect(taken.entries.first?.claim == TakenNames.Claim(writer: former, last: 9))
        let problem = try #require(Problem(taken, in: logs.path))
        expectNoRemoval(problem)

        // Neither is the next such file to be removed while the store waits before it continues as another writer.
        try save(Self.visit(3), in: store)
        let next = SegmentName(writer: fresh.id, first: 5, last: 9)
        try logs.put(LogsFolder.text(fresh.id, 5...9, base: 950).bytes(), at: next)
        let failure = try #require(throws: ExportFailure.self) { try exporter(store).run() }
        let failed = Problem.exportFailed(failure, logs: logs.path, since: wall.now)
        #expect(failed.file == "\(logs.path)/\(next.path)", "\(failed)")
        expectNoRemoval(failed)
        try store.close()
    }

    private func expectNoRemoval(_ problem: Problem) {
        #expect(problem.hint?.contains("If this machine was set back, do nothing") == true, "\(problem)")
        #expect(problem.hint?.contains("rm ") == false, "\(problem)")
        #expect(problem.hint?.contains(problem.file ?? "-") == true, "\(problem)")
    }

    /// A machine was set back with its memory, and a replicator brings what it has published before in two parts.
    @Test func transactionsFromBeforeTheMachineWasSetBackAreNoProblemOnceTheyAreApplied() async throws {
        let replica = try await start()
        try replica.save([SyncModel.insert(1)])
        try replica.save([Self.visit(100)])
        try await replica.service.exportNow()
        let former = replica.own
        let later = try logs.hire(former, 5...9, base: 900).name
        try replica.save([Self.visit(20)])
        try await replica.service.exportNow()
        #expect(try own(replica.store).id != former)
        func problem(_ replica: SyncReplica) -> Problem? {
            replica.service.status.problems.first { $0.code == .nameTaken }
        }
        let found = try #require(problem(replica))
        #expect(found.file == "\(logs.path)/\(later.path)" && found.detail.contains("that this store has not written"))
        expectNoRemoval(found)

        // It is the same after a restart, and while transactions before these are missing.
        try await replica.stop()
        let again = try await start(replica.folder)
        _ = try await again.service.sync()
        try await again.service.exportNow()
        #expect(problem(again) == found)
        expectNoRemoval(try #require(problem(again)))
        try logs.hire(former, 3...4, base: 900)
        _ = try await again.service.sync()
        try await again.service.exportNow()
        #expect(again.service.status.problems.isEmpty, "\(again.service.status.problems)")
        #expect(try again.position(former) == 9)
        // The file still counts for the pause before the next fresh writer.
        #expect(try again.store.read { try TakenNames($0) }.entries.map(\.path) == [later.path])
        try await expectEqualPeer(again, visits: 120)
        try await again.stop()
    }

    @Test func recordedFilesAreTheSameAfterAReading() throws {
        let writer = LogsFolder.writer(1)
        let text =
            "7\n8 w/1.tlog It is a folder\n9 w/2.tlog odd:7 reason\n9 w/3.tlog one\n9 w/4.tlog \(writer):7 Later"
        let taken = TakenNames(text)
        #expect(taken.text == text)
        #expect(taken.entries.map(\.claim) == [nil, nil, nil, TakenNames.Claim(writer: writer, last: 7)])
        #expect(taken.entries.map(\.reason) == ["It is a folder", "odd:7 reason", "one", "Later"])
        #expect(TakenNames("7\n9 w/1.tlog   ").entries.allSatisfy { $0.claim == nil })

        // Only files without transactions are to be removed.
        let hint = try #require(Problem(taken, in: "/l")?.hint)
        #expect(hint.hasSuffix(": rm -r /l/w/1.tlog /l/w/2.tlog /l/w/3.tlog"), "\(hint)")
        #expect(hint.contains("takes the transactions from /l/w/4.tlog. "), "\(hint)")
    }

    /// A machine was set back with its memory to a moment before its last export: these are its own transactions.
    @Test func whatTheStoreHasPublishedBeforeKeepsItsNames() throws {
        let (folder, store) = try saved()
        defer { withExtendedLifetime(folder) {} }
        let former = try own(store).id
        try exporter(store).run()
        try PlainSQL(path: store.configuration.path)
            .execute("DELETE FROM tributary_export; DELETE FROM tributary_segment")
        try logs.put(
            LogsFolder.text(former, 5...9, base: 900).bytes(),
            at: SegmentName(writer: former, first: 5, last: 9)
        )
        try exporter(store).run()
        #expect(try own(store).id == former)
        #expect(try store.read { try $0.outbox.unexported().isEmpty })
        try store.close()
    }

    /// The saves have clocks that are ahead: a file that is not theirs does not show that they are published.
    @Test(arguments: Obstacle.allCases.filter { $0 != .unknownKey })
    func aForeignFileLetsNoClockPass(_ obstacle: Obstacle) async throws {
        wall.advance(milliseconds: 30 * 86_400_000)
        let (folder, store) = try saved()
        wall.setBack(milliseconds: 30 * 86_400_000)
        let former = try own(store).id
        try obstacle.take(SegmentName(writer: former, first: 2, last: 2), in: logs)
        let failure = #expect(throws: ExportFailure.self) { try exporter(store).run() }
        guard case .clockAhead? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        try store.close()
        let replica = try await start(folder)
        let restamped = try await replica.service.restamp()
        #expect(restamped.former == former && restamped.count == 2)
        try await expectEqualPeer(replica, visits: 100)
        try await replica.stop()
    }

    /// A file with the next name is about to be imported when a save gets this name.
    @Test(arguments: [1, 3] as [UInt64])
    func aSaveDuringTheImportOfAFileWithItsNameIsNotLost(_ count: UInt64) async throws {
        let replica = try await start()
        try replica.save([SyncModel.insert(1)])
        try await replica.service.exportNow()
        replica.replica.beforeImport.withLock { hook in
            hook = { [store = replica.store] in
                _ = try? store.write { try $0.commit(LocalTransaction(changes: [Self.visit(100)])) }
            }
        }
        let foreign = LogsFolder.text(replica.own, 2...(count + 1), base: 900)
        try logs.put(foreign.bytes(), at: SegmentName(writer: replica.own, first: 2, last: count + 1))
        for _ in 0..<2 { _ = try await replica.service.sync() }
        #expect(replica.replica.beforeImport.withLock { $0 == nil })
        let fresh = try own(replica.store).id
        #expect(fresh != replica.own && logs.segments(of: fresh).map(\.last) == [1])
        try await expectEqualPeer(replica, visits: 100)
        try await replica.stop()
    }

    /// A baseline that is joined while an export writes its segment gives the transactions other names.
    @Test func whatGetsAnotherNameMeanwhileIsPublishedOnce() async throws {
        let (folder, store) = try saved()
        let former = try own(store).id
        let hasJoined = Atomic(true)
        var exporter = exporter(store)
        exporter.work = WorkMeter {
            if hasJoined.exchange(true, ordering: .relaxed) { return .zero }
            let claim = BaselineWriter(id: former, sequence: 9, clock: .zero, seen: [:])
            _ = try? store.write { try $0.leaveClaimedWriter([claim]) }
            return .zero
        }
        hasJoined.store(false, ordering: .relaxed)
        #expect(try exporter.run() == ImportCounts(segments: 1, transactions: 2, changes: 2))
        let fresh = try own(store).id
        #expect(fresh != former && logs.segments(of: former).isEmpty && logs.segments(of: fresh).map(\.last) == [2])
        try await expectEqualPeer(store, in: folder, visits: 100)
    }

    /// What the store has in its outbox may be published by itself, before it was set back, or by a copy.
    @Test(arguments: [Obstacle.garbage, .empty, .fullFolder])
    func aStoreThatIsNotProvenToBeTheOnlyOneKeepsItsNames(_ obstacle: Obstacle) async throws {
        let first = try await SyncReplica(logs.path, wall: wall, model: model, configure: { $0.exports = false })
        try first.save([SyncModel.insert(1)])
        try first.save([Self.visit(100)])
        try await first.stop()
        let copied = try SyncReplica.clone(of: first.folder, model: model)
        let name = SegmentName(writer: first.own, first: 1, last: 2)
        try obstacle.take(name, in: logs)
        let copy = try await start(copied)
        let failure = await #expect(throws: ExportFailure.self) { try await copy.service.exportNow() }
        #expect(failure.map { "\($0)".contains("Nothing proves") } == true, "\(String(describing: failure))")
        let problem = copy.service.status.problems.first { $0.code == .exportFailed }
        #expect(problem?.hint?.contains("rm -r \(logs.path)/\(name.path)") == true)
        #expect(problem?.detail.contains("are published once the file is gone") == true)
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(name.path)")
        try await copy.service.exportNow()
        #expect(logs.segments(of: first.own) == [name])
        try await expectEqualPeer(copy, visits: 100)
    }

    /// A save that overwrites a value whose clock is ahead makes the clock of the store's writer ahead as well: the store is that
    /// writer all the same.
    @Test(arguments: [Obstacle.garbage, .unknownKey])
    func aWriterWhoseClockIsAheadContinues(_ obstacle: Obstacle) async throws {
        let lead = Duration.seconds(10 * 86_400)
        func start() async throws -> SyncReplica {
            try await SyncReplica(logs.path, wall: wall, model: model, configure: { $0.maxAhead = lead * 2 })
        }
        let hire = SyncModel.transaction(1, at: wall.now.later(by: lead), [SyncModel.insert(1)])
        try logs.put(SegmentText(writer: LogsFolder.writer(1), [hire]))
        let replica = try await start()
        _ = try await replica.service.sync()
        try replica.save([Self.visit(100), SyncModel.update(1, "name", .string("later"))])
        #expect(try own(replica.store).clock.isAhead(of: wall.now, by: .seconds(3600)))
        let name = SegmentName(writer: replica.own, first: 1, last: 1)
        try obstacle.take(name, in: logs)
        try await replica.service.exportNow()
        let fresh = try own(replica.store).id
        #expect(fresh != replica.own && logs.segments(of: fresh).map(\.last) == [1])
        #expect(replica.service.status.problems.contains { $0.code == .nameTaken })
        try await replica.stop()
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(name.path)")
        let peer = try await start()
        _ = try await peer.service.sync()
        #expect(try Self.visits(peer.store) == .integer(100))
        try await peer.stop()
    }

    /// Each attempt would read the file again, however long it is.
    @Test func aFileThatIsLongerThanTheSegmentIsNotRead() throws {
        let folder = try TemporaryFolder("taken")
        let store = try SyncModel.open(in: folder, wall: wall, model: model)
        try save(SyncModel.insert(1), in: store)
        let name = SegmentName(writer: try own(store).id, first: 1, last: 1)
        try Obstacle.garbage.take(name, in: logs)
        let file = try FileHandle(forWritingTo: URL(filePath: "\(logs.path)/\(name.path)"))
        try file.truncate(atOffset: 1 << 32)
        try file.seekToEnd()
        let hash = String(repeating: "0", count: 64)
        let end = #"{"end":1,"transactions":1,"changes":1,"sha256":"\#(hash)"}"#
        try file.write(contentsOf: Data("\n\(end)\n".utf8))
        try file.close()
        #expect(try exporter(store).run().transactions == 1)
        let entries = try exporter(store).takenNames().entries
        #expect(entries.first?.reason.contains("longer than the transactions") == true, "\(entries)")
        try store.close()
    }

    /// Whoever takes each next name makes one fresh writer in 10 s, then in 20 s, and so on; also when the place for staged
    /// files is taken.
    @Test(arguments: [false, true]) func freshWritersTakeLongerAndLonger(isStagingTaken: Bool) throws {
        let folder = try TemporaryFolder("taken")
        let store = try SyncModel.open(in: folder, wall: wall, model: model)
        try save(SyncModel.insert(1), in: store)
        func takeNextName() throws -> Bool {
            let writer = try own(store)
            try save(Self.visit(1), in: store)
            let last = writer.sequence + 1
            let first = try store.read { try $0.outbox.unexported().first?.first } ?? last
            try Obstacle.pipe.take(SegmentName(writer: writer.id, first: first, last: last), in: logs)
            if isStagingTaken {
                try? FileManager.default.removeItem(atPath: "\(logs.path)/.staging/\(writer.id)")
                try logs.put([], at: ".staging/\(writer.id)")
            }
            do {
                try exporter(store).run()
                return try own(store).id != writer.id
            } catch ExportFailure.nameTaken {
                return false
            }
        }
        #expect(try takeNextName())
        for pause in [10, 20, 40] as [UInt64] {
            wall.advance(milliseconds: pause * 1_000 - 1)
            #expect(try !takeNextName(), "\(pause) s")
            wall.advance(milliseconds: 1)
            #expect(try takeNextName(), "\(pause) s")
        }
        // A clock that was set back keeps nothing waiting.
        let taken = try exporter(store).takenNames()
        #expect(taken.entries.count == 4)
        let hint = try #require(Problem(taken, in: logs.path)?.hint)
        #expect(taken.entries.allSatisfy { hint.contains("\(logs.path)/\($0.path)") }, "\(hint)")
        #expect(taken.pause(at: SyncWall.start) == nil)
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(taken.entries[0].path)")
        let rest = try exporter(store).takenNames()
        #expect(rest.entries == Array(taken.entries.dropFirst()))
        #expect(TakenNames(rest.text) == rest)
        try store.close()
    }
}
