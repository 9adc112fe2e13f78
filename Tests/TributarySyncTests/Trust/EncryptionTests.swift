import Foundation
import TestSupport
import TestTraits
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Stores that encrypt what they publish, and others that lack the key, or that have not always had it.
@Suite(.watcherTurns) struct EncryptionTests {
    private let group: CompactingReplicas
    private let old: EncryptionKeys
    private let new: EncryptionKeys
    private let none = EncryptionKeys()

    init() throws {
        group = try CompactingReplicas()
        let (first, second) = (String(repeating: "a1", count: 32), String(repeating: "b2", count: 32))
        old = try EncryptionKeys(text: first)
        new = try EncryptionKeys(text: "\(second)\n\(first)")
    }

    private func add(_ keys: EncryptionKeys, required: Bool = false) async throws -> SyncReplica {
        let replica = try await group.add()
        try await use(keys, required: required, on: replica)
        return replica
    }

    /// The settings of the replica, as after a reload.
    private func use(_ keys: EncryptionKeys, required: Bool = false, on replica: SyncReplica) async throws {
        var configuration = replica.service.state.configuration
        configuration.encryption = keys
        configuration.encryption.isRequired = required
        replica.service.reconfigure(configuration)
        try await replica.service.importAll()
    }

    /// The first lines of all files of the log folder, of blobs too.
    private func headers() throws -> [String] {
        let paths = try #require(FileManager.default.enumerator(atPath: group.logs.path)).compactMap { $0 as? String }
        var isFolder: ObjCBool = false
        let files = paths.filter { path in
            let exists = FileManager.default.fileExists(atPath: "\(group.logs.path)/\(path)", isDirectory: &isFolder)
            return exists && !isFolder.boolValue && !path.hasPrefix(".")
        }
        return try files.map { file in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(group.logs.path)/\(file)"))
            return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        }
    }

    private func isAllEncrypted(with keys: EncryptionKeys) throws -> Bool {
        let headers = try headers()
        let start = "{\"tributary\":2,\"key\":\"\(keys.current?.id ?? "")\""
        return !headers.isEmpty && headers.allSatisfy { $0.hasPrefix(start) }
    }

    private let photo = JSONValue.string(Data(repeating: 7, count: 200_000).base64EncodedString())

    @Test func storesWithTheKeyAreOne() async throws {
        let one = try await add(old, required: true)
        let two = try await add(old, required: true)
        try one.save([SyncModel.insert(1), SyncModel.update(1, "photo", photo)])
        try two.save([SyncModel.insert(2)])
        try await group.exchange()
        try await group.acknowledge()
        #expect(try group.digests().count == 1)
        #expect(try isAllEncrypted(with: old))
        // Baselines, comparisons and a store that joins.
        try await group.compactAndPrune()
        try await group.exchange()
        #expect(try isAllEncrypted(with: old))
        #expect(try headers().count >= 4)
        #expect(!group.logs.segments(of: one.own).contains { $0.first == 1 })
        let third = try await add(old, required: true)
        for _ in 0..<2 { try await group.exchange() }
        #expect(try third.employees(1...9) == [1, 2])
        #expect(try group.digests().count == 1)
        #expect(try await one.check(group.logs.path).problems.map(\.code) == [])
    }

    @Test func withoutTheKeyASegmentIsHeldAndTold() async throws {
        let one = try await add(old)
        try one.save([SyncModel.insert(1), SyncModel.update(1, "photo", photo)])
        let two = try await add(none)
        try await group.exchange()
        let name = try #require(group.logs.segments(of: one.own).first)
        let status = try #require(try await two.service.segment(name))
        #expect(status.state == .held)
        #expect(status.reason.contains("encrypted with key \(old.current?.id ?? "")"))
        #expect(status.hint == SegmentError.keyHint)
        #expect(two.service.status.problems.map(\.code) == [.segmentsHeld])
        // Nobody can accept what nobody can read.
        let error = await #expect(throws: SyncError.self) { try await two.service.accept(name) }
        #expect(error.map { "\($0)" }?.contains("nobody can accept it") == true)
        // What it writes goes on.
        try two.save([SyncModel.insert(2)])
        try await group.exchange()
        #expect(try one.employees(1...9) == [1, 2])
        // With the key it takes what is there.
        try await use(old, on: two)
        for _ in 0..<2 { try await group.exchange() }
        #expect(two.service.status.problems.isEmpty)
        #expect(try group.digests().count == 1)
    }

    /// Baselines that cannot be read are told, and joined once the key is there.
    @Test func aBaselineWaitsForItsKey() async throws {
        for number in 1...2 { try await add(old).save([SyncModel.insert(UInt64(number))]) }
        try await group.exchange()
        try await group.acknowledge()
        try await group.compactAndPrune()
        let third = try await add(none)
        for _ in 0..<2 { try await group.exchange() }
        #expect(try third.employees(1...9) == [])
        let refused = third.service.state.read(\.knownBaselines.refused.values)
        #expect(refused.contains { $0.reason.contains("encrypted with key") && $0.hint == SegmentError.keyHint })
        try await use(old, on: third)
        for _ in 0..<2 { try await group.exchange() }
        #expect(try third.employees(1...9) == [1, 2])
        #expect(try group.digests().count == 1)
    }

    /// A new key comes to all as one that decrypts, then encrypts; after a compaction the old one is needed no more.
    @Test func aKeyIsReplacedWithoutAPause() async throws {
        let one = try await add(old)
        let two = try await add(old)
        let added = try EncryptionKeys(
            text: String(repeating: "a1", count: 32) + "\n" + String(repeating: "b2", count: 32)
        )
        let alone = try EncryptionKeys(text: String(repeating: "b2", count: 32))
        var number: UInt64 = 0
        func saveOnBoth() async throws {
            for replica in [one, two] {
                number += 1
                try replica.save([SyncModel.insert(number)])
            }
            try await group.exchange()
            #expect(try group.digests().count == 1)
        }
        try await saveOnBoth()
        for keys in [added, new] {
            for replica in [one, two] {
                try await use(keys, on: replica)
                try await saveOnBoth()
            }
        }
        try await group.acknowledge()
        try await group.compactAndPrune()
        for replica in [one, two] { try replica.save([]) }
        try await group.exchange()
        group.wall.advance(milliseconds: 120_000)
        try await group.compactAndPrune()
        for replica in [one, two] { try await use(alone, required: true, on: replica) }
        try await saveOnBoth()
        #expect(try isAllEncrypted(with: alone))
        for replica in [one, two] { #expect(replica.service.status.problems.isEmpty) }
    }

    /// Whoever writes the folder without the key writes nothing.
    @Test func plainFilesAreHeldWhereEncryptionIsRequired() async throws {
        let one = try await add(old, required: true)
        let forged = LogsFolder.text(LogsFolder.writer(1), 1...1)
        try group.logs.put(forged)
        try await one.service.importAll()
        let status = try #require(try await one.service.segment(forged.name))
        #expect(status.state == .held && status.reason.contains("encryption.required"))
        #expect(try one.employees(1...9) == [])
        try await use(old, on: one)
        #expect(try one.employees(1...9) == [1])
    }

    /// An export that was interrupted after its file was in place, and that goes on with another key or with none.
    @Test func anInterruptedExportGoesOnWithAnotherKey() async throws {
        struct Stop: Error {}
        for keys in [none, old, new] {
            let folder = try LogsFolder()
            let replica = try await SyncReplica(folder.path, wall: group.wall, configure: { $0.encryption = old })
            try replica.save([SyncModel.insert(1)])
            var configuration = SyncConfiguration(logs: folder.path)
            configuration.encryption = old
            let exporter = Exporter(
                store: replica.store,
                configuration: configuration,
                wall: group.wall.now,
                interrupt: { if case .placed = $0 { throw Stop() } }
            )
            #expect(throws: Stop.self) { try exporter.run() }
            try await use(keys, on: replica)
            // Without its key the file cannot be compared; it was in its place, and is not replaced.
            let bytes = folder.segments(of: replica.own).map { folder.bytes(of: $0) }
            try await replica.service.exportNow()
            #expect(folder.segments(of: replica.own).map { folder.bytes(of: $0) } == bytes)
            try replica.save([SyncModel.insert(2)])
            try await replica.service.exportNow()
            #expect(folder.segments(of: replica.own).map(\.last) == [1, 2])
            let name = SegmentName(writer: replica.own, first: 1, last: 1)
            let end = try SegmentTail.read(LogFolder(path: folder.path, keys: old).open(name)).end
            #expect(try replica.store.read { try $0.writers.segment(writer: replica.own, 1, 1)?.sha256 } == end.sha256)
        }
    }

    /// The store has published a segment with a key that is lost, and was set back to before.
    @Test func whatWasPublishedWithALostKeyIsNotPublishedAgain() async throws {
        let other = try EncryptionKeys(text: String(repeating: "c3", count: 32))
        let two = try await add(old)
        var one = try await SyncReplica(group.logs.path, wall: group.wall, configure: { $0.encryption = old })
        try one.save([SyncModel.insert(1)])
        for replica in [one, two] { _ = try await replica.service.sync() }
        try await one.stop()
        one = try await SyncReplica(
            group.logs.path,
            wall: group.wall,
            folder: one.folder,
            configure: { ($0.encryption, $0.exports) = (old, false) }
        )
        try one.save([SyncModel.insert(2)])
        try await one.stop()
        let earlier = try SyncReplica.clone(of: one.folder, model: SyncModel.make())
        one = try await SyncReplica(
            group.logs.path,
            wall: group.wall,
            folder: one.folder,
            configure: { $0.encryption = old }
        )
        for replica in [one, two] { _ = try await replica.service.sync() }
        try await one.stop()
        try await use(other, on: two)
        let back = try await SyncReplica(
            group.logs.path,
            wall: group.wall,
            folder: earlier,
            configure: { $0.encryption = other }
        )
        try back.save([SyncModel.insert(3)])
        for replica in [back, two] { _ = try? await replica.service.sync() }
        #expect(back.service.status.problems.allSatisfy { $0.code != .exportFailed && $0.code != .nameTaken })
        #expect(try two.employees(1...9) == [1, 2, 3])
        let digests = try [back, two].map { try $0.store.read { try $0.mergeState.digest().digest } }
        #expect(Set(digests).count == 1)
    }

    /// Large values in the folder have the current key after a compaction, and a new store can read them.
    @Test func largeValuesGetTheCurrentKey() async throws {
        let journal = JournalRecorder()
        let one = try await group.add(logger: journal.logger)
        let two = try await add(none)
        try one.save([SyncModel.insert(1), SyncModel.update(1, "photo", photo)])
        try await group.exchange()
        try await group.acknowledge()
        try await group.compactAndPrune()
        let blobs = { try self.headers().count { !$0.hasPrefix("{") || $0.count > 200_000 } }
        #expect(try blobs() > 0)
        for keys in [old, new] {
            for replica in [one, two] { try await use(keys, on: replica) }
            try await group.acknowledge()
            group.wall.advance(milliseconds: 120_000)
            try await group.compactAndPrune()
        }
        let notices = journal.entries.filter { $0.message == "encrypted large values with the current key" }
        #expect(notices.map { $0.values["count"] } == ["1", "1"], "once with each key")
        let alone = try EncryptionKeys(text: String(repeating: "b2", count: 32))
        for replica in [one, two] { try await use(alone, required: true, on: replica) }
        let third = try await add(alone, required: true)
        for _ in 0..<2 { try await group.exchange() }
        #expect(try third.employees(1...9) == [1])
        #expect(try group.digests().count == 1)
        #expect(try isAllEncrypted(with: alone))
    }

    /// A key that is lost with its files: the stores publish what they have with another one, and new stores join that.
    @Test func aLostKeyIsNoEnd() async throws {
        let one = try await add(old)
        let two = try await add(old)
        try one.save([SyncModel.insert(1), SyncModel.update(1, "photo", photo)])
        try two.save([SyncModel.insert(2)])
        try await group.exchange()
        try await group.acknowledge()
        let other = try EncryptionKeys(text: String(repeating: "c3", count: 32))
        for replica in [one, two] {
            var configuration = replica.service.state.configuration
            configuration.keepSegments = .seconds(30 * 86_400)
            replica.service.reconfigure(configuration)
            try await use(other, on: replica)
        }
        for _ in 0..<2 { for replica in [one, two] { try await group.compact(replica) } }
        for _ in 0..<2 { try await group.exchange() }
        // The segments of the lost key are still there.
        #expect(group.logs.segments(of: one.own).contains { $0.first == 1 })
        let third = try await add(other)
        for _ in 0..<3 { try await group.exchange() }
        #expect(try third.employees(1...9) == [1, 2])
        #expect(try group.digests().count == 1)
        let report = try await one.check(group.logs.path)
        #expect(report.problems.allSatisfy { $0.detail.contains("encrypted with key") }, "\(report.problems)")
    }

    /// A copy of which nobody knows whether it is a fork is compared once its key is there.
    @Test func aForkIsFoundOnceItsKeyIsThere() async throws {
        let one = try await add(old)
        let writer = LogsFolder.writer(1)
        let segment = try group.logs.hire(writer, 1...1)
        try await one.service.importAll()
        let other = LogsFolder.text(writer, 1...1, name: "Eve")
        let scratch = try LogsFolder()
        let hidden = try EncryptionKeys(text: String(repeating: "c3", count: 32))
        _ = try LogFolder(path: scratch.path, keys: hidden).publish(other.name, header: other.lines[0]) { output in
            let lines: [UInt8] = other.lines.dropFirst().flatMap { Array($0.utf8) + [0x0A] }
            try output.append(lines: lines, changes: 1)
        }
        let copy = segment.name.path.replacing(".tlog", with: ".sync-conflict-20260101-000000-ABCDEFG.tlog")
        try group.logs.put(try #require(scratch.bytes(of: other.name)), at: copy)
        for _ in 0..<2 { try await one.service.importAll() }
        #expect(one.service.status.problems.map(\.code) == [])
        let both = try EncryptionKeys(
            text: String(repeating: "a1", count: 32) + "\n" + String(repeating: "c3", count: 32)
        )
        try await use(both, on: one)
        for _ in 0..<2 { try await one.service.importAll() }
        #expect(one.service.status.problems.map(\.code) == [.segmentsForked])
    }

    /// A large value whose key is missing is named with it.
    @Test func aLargeValueNamesTheKeyThatIsMissing() async throws {
        let one = try await add(old)
        let writer = LogsFolder.writer(1)
        let bytes = [UInt8](repeating: 7, count: 200_000)
        let hash = SegmentEnd.sha256(of: bytes)
        let hidden = try EncryptionKeys(text: String(repeating: "c3", count: 32))
        try LogFolder(path: group.logs.path, keys: hidden).publishBlob(hash, of: writer) {
            try bytes.withUnsafeBytes($0)
        }
        var segment = LogsFolder.text(writer, 1...1)
        segment.lines[2] = segment.lines[2].replacing(
            "\"values\":{",
            with: "\"values\":{\"photo\":{\"blob\":\"\(hash)\",\"size\":200000},"
        )
        try group.logs.put(segment)
        try await one.service.importAll()
        let status = try #require(try await one.service.segment(segment.name))
        #expect(status.state == .waiting)
        #expect(status.reason.contains("encrypted with key \(hidden.current?.id ?? "")"), "\(status.reason)")
        #expect(status.hint == SegmentError.keyHint)
        let both = try EncryptionKeys(
            text: String(repeating: "a1", count: 32) + "\n" + String(repeating: "c3", count: 32)
        )
        try await use(both, on: one)
        try await one.service.importAll()
        #expect(try one.employees(1...9) == [1])
    }
}
