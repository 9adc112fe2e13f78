import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

@testable import TributarySync

/// Faulty input in a log folder is not applied, its reason is listed, and another writer's segments are applied.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct BadSegmentTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let bad = LogsFolder.writer(1)
    private let good = LogsFolder.writer(2)
    private var name: SegmentName { SegmentName(writer: bad, first: 1, last: 2) }

    init() throws { logs = try LogsFolder() }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var state: SegmentState
        var line: Int?
        /// Creates the file's bytes from a valid segment of two transactions.
        var make: @Sendable (SegmentText) -> [UInt8]

        init(
            _ description: String,
            _ state: SegmentState,
            line: Int? = nil,
            make: @escaping @Sendable (SegmentText) -> [UInt8]
        ) {
            testDescription = description
            self.state = state
            self.line = line
            self.make = make
        }

        /// Replaces text in the second transaction's change, with correct counts and hashes.
        static func change(_ description: String, _ text: String) -> Case {
            Case(description, .rejected, line: 5) { segment in
                var segment = segment
                segment.lines[4] = text
                return segment.bytes()
            }
        }
    }

    /// A problem of several files has the command that lists them.
    @Test func severalBadFilesNameTheirList() async throws {
        for number in 1...3 as ClosedRange<UInt64> {
            let text = LogsFolder.text(LogsFolder.writer(number), 1...1)
            try logs.put(text.bytes(sha256: String(repeating: "0", count: 64)), at: text.name)
        }
        let replica = try await SyncReplica(logs.path, wall: wall)
        _ = try await replica.service.sync()
        let problem = try #require(replica.service.status.problems.first { $0.code == .segmentsDamaged })
        #expect(problem.detail.contains(" and 2 more: damaged."), "\(problem)")
        let list = "; to see all 3: tributaryctl segment list --state damaged"
        #expect(problem.hint?.hasSuffix(list) == true, "\(problem)")
    }

    static let id = SyncModel.employee(5).description

    static let cases: [Case] = [
        Case("truncated", .incomplete) { Array($0.bytes().dropLast(40)) },
        Case("empty", .incomplete) { _ in [] },
        Case("binary", .incomplete) { _ in (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 7) } },
        Case("wrong hash", .damaged) { $0.bytes(sha256: String(repeating: "0", count: 64)) },
        Case("wrong count of changes", .rejected, line: 6) { $0.bytes(changes: 7) },
        Case("wrong count of transactions", .rejected, line: 6) { $0.bytes(transactions: 1) },
        Case("wrong name against header", .rejected, line: 1) { segment in
            var segment = segment
            segment.lines[0] = SegmentHeader(writer: segment.name.writer, first: 1, last: 3).line
            return segment.bytes()
        },
        .change("NaN", #"{"insert":"Employee","id":"\#(id)","values":{"salary":NaN}}"#),
        .change("duplicate keys", #"{"insert":"Employee","id":"\#(id)","values":{"name":"a","name":"b"}}"#),
        .change("no UUID", #"{"insert":"Employee","id":"5","values":{"name":"a"}}"#),
        .change("depth 9", #"{"insert":"Employee","id":"\#(id)","values":{"name":[[[[[[[[1]]]]]]]]}}"#),
        Case("invalid UTF-8", .rejected, line: 5) { segment in
            var body = Array(segment.lines.dropLast().joined(separator: "\n").utf8) + [0x0A]
            body += Array(#"{"insert":"Employee","id":"\#(id)","values":{"name":""#.utf8) + [0xC3, 0x28]
            body += Array("\"}}\n".utf8)
            return body + segment.endLine(of: body)
        },
        Case("17 MiB line", .rejected, line: 5) { segment in
            var segment = segment
            let text = String(repeating: "x", count: 17 << 20)
            segment.lines[4] = #"{"insert":"Employee","id":"\#(id)","values":{"name":"\#(text)"}}"#
            return segment.bytes()
        },
    ]

    @Test(arguments: cases)
    func itIsListedWithItsReasonAndNothingOfItIsApplied(_ test: Case) async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let segment = LogsFolder.text(bad, 1...2)
        try logs.put(test.make(segment), at: name)
        try logs.hire(good, 1...1, base: 100)
        try await replica.service.importAll()
        let status = try #require(await replica.service.segment(name))
        #expect(status.state == test.state)
        #expect(!status.reason.isEmpty && status.hint != nil)
        if let line = test.line { #expect(status.line == line) }
        #expect(try replica.employees(1...200) == [101])
        #expect(try replica.position(bad) == 0)
        // The valid bytes in place of the faulty ones are applied.
        try logs.put(segment)
        try await replica.service.importAll()
        #expect(try replica.employees(1...200) == [1, 2, 101])
    }

    @Test func irregularFilesAreRejectedWithoutBeingOpened() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try FileManager.default.createDirectory(atPath: "\(logs.path)/\(bad)", withIntermediateDirectories: true)
        let pipe = SegmentName(writer: bad, first: 1, last: 1)
        let link = SegmentName(writer: bad, first: 2, last: 2)
        let folder = SegmentName(writer: bad, first: 3, last: 3)
        mkfifo("\(logs.path)/\(pipe.path)", 0o600)
        symlink("/etc/passwd", "\(logs.path)/\(link.path)")
        mkdir("\(logs.path)/\(folder.path)", 0o700)
        try logs.hire(good, 1...1)
        try await replica.service.importAll()
        for name in [pipe, link, folder] { #expect(try await replica.state(name) == .rejected) }
        #expect(try replica.position(good) == 1)
        #expect(replica.service.status.problems.map(\.code) == [.segmentsRejected])
        // The status lists nothing of removed files.
        for name in [pipe, link, folder] { try FileManager.default.removeItem(atPath: "\(logs.path)/\(name.path)") }
        try await replica.service.importAll()
        #expect(try await replica.service.segments().isEmpty)
    }

    @Test(.enabled(if: getuid() != 0, "root reads every file"))
    func anUnreadableFileIsRejectedUntilItMayBeRead() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let segment = try logs.hire(bad, 1...1)
        chmod("\(logs.path)/\(segment.name.path)", 0)
        try await replica.service.importAll()
        #expect(try await replica.state(segment.name) == .rejected)
        chmod("\(logs.path)/\(segment.name.path)", 0o644)
        try await replica.service.importAll()
        #expect(try await replica.state(segment.name) == .applied)
    }

    @Test func aSparseFileOfTwoGibibytesIsNoTrouble() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try logs.put([], at: name)
        #expect(truncate("\(logs.path)/\(name.path)", 2 << 30) == 0)
        try logs.hire(good, 1...1)
        try await replica.service.importAll()
        #expect(try await replica.state(name) == .incomplete)
        #expect(try replica.position(good) == 1)
    }

    @Test func anIncompleteFileCountsAsDamagedAfterTheGrace() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try logs.put(Array(LogsFolder.text(bad, 1...2).bytes().dropLast(9)), at: name)
        try await replica.service.importAll()
        #expect(try await replica.state(name) == .incomplete)
        wall.advance(milliseconds: 60_000)
        try await replica.service.importAll()
        #expect(try await replica.state(name) == .damaged)
        #expect(replica.service.status.problems.map(\.code) == [.segmentsDamaged])
    }

    @Test func valuesThatTheModelCannotHoldAreDeferredAndTheRestApplies() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let lines = [
            #"{"transaction":1,"clock":"0190335a1bc00000","changes":4}"#,
            #"{"insert":"Employee","id":"\#(BadSegmentTests.id)","values":{"name":"Ann","salary":"much"}}"#,
            #"{"insert":"Robot","id":"\#(BadSegmentTests.id)","values":{"name":"R2"}}"#,
            #"{"update":"Employee","id":"\#(BadSegmentTests.id)","values":{"photo":123456789012345678901234567890}}"#,
            #"{"update":"Employee","id":"\#(BadSegmentTests.id)","values":{"name":"Anna"}}"#,
        ]
        let segment = SegmentText(writer: bad, last: 1, lines)
        try logs.put(segment)
        try await replica.service.importAll()
        let status = try #require(try await replica.service.segments().first)
        #expect(status.state == .applied)
        #expect(status.deferred >= 3)
        #expect(!status.reason.isEmpty)
        #expect(try replica.employees(5...5) == [5])
    }

    @Test func theMissingFolderIsAProblemAndItsReturnIsNoticed() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try logs.hire(good, 1...1)
        try await replica.service.importAll()
        try FileManager.default.removeItem(atPath: logs.path)
        try await replica.service.importAll()
        #expect(replica.service.status.problems.map(\.code) == [.logsMissing])
        let events = replica.service.segmentEvents()
        let segment = try logs.hire(good, 2...2)
        _ = try await SyncReplica.wait(events) { $0.id == segment.name && $0.state == .applied }
        #expect(replica.service.status.problems.isEmpty)
    }

    @Test func aBlobIsWaitedForAndItsArrivalIsNoticed() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let blob = Array("a picture".utf8)
        let hash = SegmentText.hash(blob)
        let lines = [
            #"{"transaction":1,"clock":"0190335a1bc00000","changes":1}"#,
            #"{"insert":"Employee","id":"\#(BadSegmentTests.id)","values":{"photo":{"blob":"\#(hash)","size":9}}}"#,
        ]
        let segment = SegmentText(writer: bad, last: 1, lines)
        try logs.put(segment)
        try await replica.service.importAll()
        #expect(try await replica.service.segment(segment.name)?.waitingFor == [.blob(writer: bad, sha256: hash)])
        let events = replica.service.segmentEvents()
        try logs.put(blob, at: "\(bad)/blobs/\(hash)")
        _ = try await SyncReplica.wait(events) { $0.id == segment.name && $0.state == .applied }
        #expect(try replica.employees(5...5) == [5])
    }
}
