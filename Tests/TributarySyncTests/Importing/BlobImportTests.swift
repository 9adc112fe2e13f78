import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// Binaries between stores and the folder: as blobs or in segments, beside a store or in its rows.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct BlobImportTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let writer = LogsFolder.writer(1)
    private static let large = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private static let small = Array("a picture".utf8)

    init() throws { logs = try LogsFolder() }

    /// A segment whose employees have photos in `blobs`; `key` is the JSON text of the key "blob".
    private func segment(_ photos: [[UInt8]], key: String = #""blob""#) -> SegmentText {
        segment(photos: photos.map { #"{\#(key):"\#(SegmentText.hash($0))","size":\#($0.count)}"# })
    }

    /// A segment whose employees have photos, each given as JSON.
    private func segment(photos: [String]) -> SegmentText {
        let changes = zip(UInt64(1)..., photos).map { number, photo in
            #"{"insert":"Employee","id":"\#(SyncModel.employee(number))","values":{"name":"Ann","photo":\#(photo)}}"#
        }
        let header = #"{"transaction":1,"clock":"0190335a1bc00000","changes":\#(photos.count)}"#
        return SegmentText(writer: writer, last: 1, [header] + changes)
    }

    private func path(_ bytes: [UInt8]) -> String { "\(writer)/blobs/\(SegmentText.hash(bytes))" }

    private func photos(_ replica: SyncReplica, _ numbers: ClosedRange<UInt64>) throws -> [PropertyValue] {
        try replica.store.read { reader in
            try numbers.compactMap { number in
                try reader.row(SyncModel.employee(number), rootEntity: "Employee").map { row in
                    row.entity.propertyIndex(named: "photo").map { row.values[$0] } ?? .null
                }
            }
        }
    }

    private func files(_ replica: SyncReplica) -> [String] {
        let all = FileManager.default.subpaths(atPath: replica.folder.path("store.sqlite-blobs")) ?? []
        return all.filter { $0.contains("/") }
    }

    @Test func theBytesOfABlobAreInTheStore() async throws {
        try logs.put(Self.large, at: path(Self.large))
        try logs.put(Self.small, at: path(Self.small))
        try logs.put(segment([Self.large, Self.small, Self.large]))
        let plain = try await SyncReplica(logs.path, wall: wall, name: "plain")
        let external = try await SyncReplica(logs.path, wall: wall, name: "external", hasExternalPhotos: true)
        for replica in [plain, external] { try await replica.service.importAll() }
        let bytes = [PropertyValue.binary(Self.large), .binary(Self.small), .binary(Self.large)]
        #expect(try photos(plain, 1...3) == bytes)
        #expect(files(plain).isEmpty)
        let kept = try photos(external, 1...3)
        #expect(kept[0] == .blob(sha256: SegmentText.hash(Self.large), size: 200_000) && kept[0] == kept[2])
        #expect(kept[1] == bytes[1])
        #expect(try kept.map { try external.store.whole($0) } == bytes)
        #expect(files(external).count == 1)
        // The folder's files belong to the replicator; the store does not need them any more.
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(writer)")
        #expect(try kept.map { try external.store.whole($0) } == bytes)
        let digests = try [plain, external].map { try $0.store.read { try $0.mergeState.digest().digest } }
        #expect(digests[0] == digests[1])
    }

    /// Without that a large blob on a slow disk would be taken for work that hangs.
    @Test func eachPortionOfABlobIsProgressOfTheImport() throws {
        let large = [UInt8](repeating: 7, count: 3 << 20)
        try logs.put(large, at: path(large))
        let control = ImportControl(work: .standing)
        let feed = BlobFeed(logs: try LogFolder(path: logs.path), writer: writer, control: control)
        var (bytes, seen) = (0, [UInt64]())
        try feed.read(SegmentText.hash(large), size: Int64(large.count)) { portion in
            bytes += portion.count
            seen.append(control.progress)
        }
        #expect(bytes == large.count && seen.count > 1 && zip(seen, seen.dropFirst()).allSatisfy(<))
    }

    @Test(arguments: [small, large])
    func aBlobOfOtherBytesIsWaitedForUntilItIsRight(_ bytes: [UInt8]) async throws {
        let replica = try await SyncReplica(logs.path, wall: wall, hasExternalPhotos: true)
        var wrong = bytes
        wrong[5] ^= 1
        let segment = segment([bytes])
        let hash = SegmentText.hash(bytes)
        try logs.put(wrong, at: path(bytes))
        try logs.put(segment)
        try logs.hire(LogsFolder.writer(2), 1...1, base: 100)
        try await replica.service.importAll()
        #expect(try await replica.service.segment(segment.name)?.waitingFor == [.blob(writer: writer, sha256: hash)])
        #expect(try replica.employees(1...200) == [101], "nobody else waits")
        #expect(files(replica).isEmpty)
        let events = replica.service.segmentEvents()
        try logs.put(bytes, at: path(bytes))
        _ = try await SyncReplica.wait(events) { $0.id == segment.name && $0.state == .applied }
        #expect(try photos(replica, 1...1).map { try replica.store.whole($0) } == [.binary(bytes)])
    }

    @Test(arguments: [#""\u0062lob""#, #""bl\u006Fb""#, #""bl\u006fb""#, #""b\u006C\u006fb""#])
    func aBlobWithAnEscapedKeyIsWaitedForAndRead(_ key: String) async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let segment = segment([Self.small], key: key)
        try logs.put(segment)
        try await replica.service.importAll()
        let awaited = UnmetDependency.blob(writer: writer, sha256: SegmentText.hash(Self.small))
        #expect(try await replica.service.segment(segment.name)?.waitingFor == [awaited])
        let events = replica.service.segmentEvents()
        try logs.put(Self.small, at: path(Self.small))
        _ = try await SyncReplica.wait(events) { $0.id == segment.name && $0.state == .applied }
        #expect(try photos(replica, 1...1) == [.binary(Self.small)])
    }

    /// A size that no file has, and one that the file has not: the segment waits, and says that waiting does not help.
    @Test(arguments: [Int64.max, 5, 1_000])
    func aWrongSizeIsNamed(_ size: Int64) async throws {
        let hash = SegmentText.hash(Self.small)
        let replica = try await SyncReplica(logs.path, wall: wall)
        let segment = segment(photos: [#"{"blob":"\#(hash)","size":\#(size)}"#])
        if size != .max { try logs.put(Self.small, at: path(Self.small)) }
        try logs.put(segment)
        try await replica.service.importAll()
        let status = try #require(try await replica.service.segment(segment.name))
        #expect(status.state == .waiting && status.waitingFor == [.blob(writer: writer, sha256: hash)], "\(status)")
        let has = size == .max ? "which no file can have" : "the file has \(Self.small.count)"
        #expect(status.reason.contains("\(size) bytes for blob \(hash)") && status.reason.contains(has), "\(status)")
        // A file that is smaller may still be growing.
        #expect((status.hint?.hasSuffix("tributaryctl segment retry \(segment.name.path)") ?? false) == (size != 1_000))
        wall.advance(milliseconds: 3_600_000)
        let problem = replica.service.status.problems.first { $0.code == .segmentsWaiting }
        #expect(problem?.detail.contains("\(size) bytes") == true, "\(replica.service.status.problems)")
        #expect(problem?.hint?.contains("tributaryctl segment ") == true)
    }

    /// A value that resembles the name of a blob is one that no model can represent, and no segment waits for it.
    @Test(arguments: [
        #"{"blob":"\#(SegmentText.hash([1]))","size":-1}"#,
        #"{"blob":"\#(SegmentText.hash([1]))","size":-9223372036854775808}"#,
        #"{"blob":"\#(SegmentText.hash([1]))","size":1,"more":true}"#,
        #"{"blob":"\#(SegmentText.hash([1]).uppercased())","size":1}"#,
    ])
    func anIllFormedBlobIsDeferredWithItsLineAndReasonAndTheRestApplies(_ blob: String) async throws {
        let segment = segment(photos: [blob])
        try logs.put(segment)
        let replica = try await SyncReplica(logs.path, wall: wall)
        try await replica.service.importAll()
        let status = try #require(await replica.service.segment(segment.name))
        #expect(status.state == .applied && status.deferred == 1, "\(status)")
        let value = try #require(status.deferredValues.first)
        #expect(value.line == 3 && value.text.contains("Employee.photo"), "\(value)")
        let row = try replica.store.read { try $0.row(SyncModel.employee(1), rootEntity: "Employee") }
        #expect(row?.values.contains(.string("Ann")) == true)
    }

    @Test func aLinkIsNoBlob() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall, hasExternalPhotos: true)
        let elsewhere = replica.folder.path("elsewhere")
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
        let hash = SegmentText.hash(Self.small)
        try Data(Self.small).write(to: URL(fileURLWithPath: "\(elsewhere)/\(hash)"))
        let segment = segment([Self.small])
        try logs.put(segment)
        symlink(elsewhere, "\(logs.path)/\(writer)/blobs")
        try await replica.service.importAll()
        #expect(try await replica.state(segment.name) == .waiting)
        #expect(try replica.employees(1...5).isEmpty)
    }

    @Test func storesWithAndWithoutFilesExchangeThroughTheFolder() async throws {
        let left = try await SyncReplica(logs.path, wall: wall, name: "left", hasExternalPhotos: true)
        let right = try await SyncReplica(logs.path, wall: wall, name: "right")
        let photo = PropertyValue.binary(Self.large)
        try left.save([SyncModel.insert(1), SyncModel.update(1, "photo", photo.json), SyncModel.insert(2)])
        for replica in [left, right] { _ = try await replica.service.sync() }
        try right.save([SyncModel.update(2, "photo", photo.json)])
        for replica in [right, left, right] { _ = try await replica.service.sync() }
        #expect(try photos(right, 1...2) == [photo, photo])
        #expect(try photos(left, 1...2).map { try left.store.whole($0) } == [photo, photo])
        #expect(files(left).count == 1 && files(right).isEmpty)
        let digests = try [left, right].map { try $0.store.read { try $0.mergeState.digest().digest } }
        #expect(digests[0] == digests[1])
        // Exported segments contain the bytes, because the names of a store's files mean nothing to other writers.
        for name in logs.segments(of: left.own) {
            #expect(!String(decoding: logs.bytes(of: name) ?? [], as: UTF8.self).contains("\"blob\""))
        }
    }
}
