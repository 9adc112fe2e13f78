import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A log folder that is limited by `logs.max_bytes`.
@Suite struct FolderQuotaTests {
    private let folder: TemporaryFolder
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let store: Store
    private let own: UniqueID

    init() throws {
        folder = try TemporaryFolder("quota")
        logs = try LogsFolder()
        store = try SyncModel.open(in: folder, name: "till-12", wall: wall)
        own = try store.read { try $0.writers.own().id }
    }

    private func exporter(
        limit: Int64?,
        exceptions: Int = 0,
        after elapsed: Duration = .zero,
        interrupt: @escaping @Sendable (Exporter.Step) throws -> Void = { _ in }
    ) -> Exporter {
        let now = wall.now.later(by: elapsed)
        var configuration = SyncConfiguration(logs: logs.path)
        configuration.segmentBytes = 1
        return Exporter(
            store: store,
            configuration: configuration,
            wall: now,
            room: limit.map {
                FolderRoom(limit: $0, size: FolderSize(path: logs.path), wall: now, exceptions: exceptions)
            },
            interrupt: interrupt
        )
    }

    private func save(_ changes: [Change]) throws {
        _ = try store.write { try $0.commit(LocalTransaction(author: "test", changes: changes)) }
    }

    private func save(_ numbers: ClosedRange<UInt64>) throws {
        for number in numbers { try save([SyncModel.insert(number)]) }
    }

    private var sizes: [Int64] {
        logs.segments(of: own).map { Int64(logs.bytes(of: $0)?.count ?? 0) }
    }

    @Test func segmentsGoOutUntilTheFolderHasTheLimit() throws {
        try save(1...5)
        #expect(try exporter(limit: nil).run().segments == 5)
        let size = sizes.reduce(0, +)
        try save(6...9)

        // One byte of room is room for one segment, which is finished.
        #expect(try exporter(limit: size + 1).run().segments == 1)
        let full = exporter(limit: size + 1)
        #expect(try full.run() == ImportCounts())
        #expect(try full.withheld() == 3)
        #expect(try exporter(limit: sizes.reduce(0, +)).withheld() == 3, "the limit itself is full")

        // What the exporter has written itself counts, without another measurement.
        let two = exporter(limit: sizes.reduce(0, +) + sizes[1] + 1)
        #expect(try two.run().segments == 2)
        #expect(try two.withheld() == 1)

        let free = exporter(limit: .max)
        #expect(try free.run().segments == 1)
        #expect(try free.withheld() == nil)
        #expect(logs.segments(of: own).map(\.first) == Array(1...9))
        var previous: String?
        for name in logs.segments(of: own) {
            let segment = try SegmentVerifier().verify(LogFolder(path: logs.path).open(name), name: name)
            #expect(segment.header.previous == previous, "\(name)")
            previous = segment.end.sha256
        }
    }

    /// Other stores remove what all have acknowledged.
    @Test func aFullFolderTakesAcknowledgements() throws {
        try save(1...1)
        _ = try exporter(limit: nil).run()
        try save([])
        #expect(try exporter(limit: 1).run() == ImportCounts(segments: 1, transactions: 1, changes: 0))
        try save(2...2)
        try save([])
        let full = exporter(limit: 1)
        #expect(try full.run() == ImportCounts(), "an acknowledgement comes after the changes before it")
        #expect(try full.withheld() == 2)
    }

    private struct PowerFailure: Error {}

    @Test func aSegmentThatWasBegunIsFinishedInAFullFolder() throws {
        try save(1...2)
        let broken = exporter(limit: 1 << 20) { step in if case .begun = step { throw PowerFailure() } }
        #expect(throws: PowerFailure.self) { try broken.run() }
        #expect(sizes.isEmpty)
        let full = exporter(limit: 0)
        #expect(try full.run() == ImportCounts(segments: 1, transactions: 1, changes: 1))
        #expect(try full.withheld() == 1)
    }

    @Test func aFolderIsMeasuredAgainOnceItMayHaveRoom() throws {
        let size = FolderSize(path: logs.path)
        let other = LogsFolder.writer(7)
        try logs.hire(other, 1...1)
        let bytes = Int64(try #require(logs.bytes(of: logs.segments(of: other)[0])).count)
        let now = wall.now
        #expect(size.isFull(bytes, at: now) && !size.isFull(bytes + 1, at: now))

        // While there is room, a minute passes before what others write is noticed.
        try logs.hire(other, 2...2)
        #expect(!size.isFull(bytes + 1, at: now.later(by: .seconds(59))))
        #expect(size.isFull(bytes + 1, at: now.later(by: .seconds(60))))
        // What is full is looked at a second later, or at once when files were removed.
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(other)")
        #expect(size.isFull(bytes + 1, at: now.later(by: .milliseconds(60_900))))
        #expect(!size.isFull(bytes + 1, at: now.later(by: .seconds(61))))
        size.added(1 << 40)
        #expect(!size.isFull(bytes, at: now.later(by: .seconds(63))), "what was added is in the measurement")
        try logs.hire(other, 1...1)
        size.expire()
        #expect(size.isFull(bytes, at: now.later(by: .seconds(63))))
        // A clock that was set back makes every measurement old.
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(other)")
        #expect(!size.isFull(bytes, at: now.earlier(by: .seconds(86_400))))
    }

    @Test func aFolderThatCannotBeReadIsNotFull() {
        #expect(!FolderSize(path: "/nowhere/at/all").isFull(1, at: wall.now))
    }

    /// A folder that has not changed is not listed again within the hour.
    @Test func unchangedFoldersAreListedOnceAnHour() async throws {
        let size = FolderSize(path: logs.path)
        let other = LogsFolder.writer(7)
        try logs.hire(other, 1...1)
        let name = logs.segments(of: other)[0]
        let file = "\(logs.path)/\(name.path)"
        let bytes = Int64(try #require(logs.bytes(of: name)).count)
        // The test's clock is far from that of the machine: the folders are older than it.
        let start = wall.now
        var old = [timespec(tv_sec: 1_000, tv_nsec: 0), timespec(tv_sec: 1_000, tv_nsec: 0)]
        for path in [logs.path, "\(logs.path)/\(other)"] { #expect(utimensat(AT_FDCWD, path, &old, 0) == 0) }
        #expect(await size.measured(at: start)?.writers == [other: bytes])
        try Data(count: Int(bytes) + 100).write(to: URL(fileURLWithPath: file))
        for path in [logs.path, "\(logs.path)/\(other)"] { #expect(utimensat(AT_FDCWD, path, &old, 0) == 0) }
        #expect(!size.isFull(bytes + 1, at: start.later(by: .seconds(3_599))))
        #expect(size.isFull(bytes + 100, at: start.later(by: .seconds(3_660))))
        // Another file changes the time of the folder.
        try logs.hire(other, 2...2)
        #expect(size.isFull(bytes + 101, at: start.later(by: .seconds(3_720))))
    }

    // MARK: What is said

    private func quota(_ bytes: Int64, of limit: Int64, _ report: CompactionReport? = nil) -> FolderQuota {
        let writers = Dictionary(uniqueKeysWithValues: (1...5).map { (LogsFolder.writer($0), Int64($0) << 20) })
        let size = FolderSize.Measured(files: 9, bytes: bytes, time: wall.now, writers: writers)
        return FolderQuota(of: "/srv/logs", limit: limit, size: size, compaction: report) { writer in
            writer == LogsFolder.writer(5) ? "till-5" : nil
        }
    }

    @Test func nineTenthsAreANotice() throws {
        for (bytes, limit, isNear) in [
            (89, 100, false), (90, 100, true), (100, 100, true), (0, Int64.max, false), (.max, .max, true),
            (0, 0, true),
        ] as [(Int64, Int64, Bool)] {
            #expect(quota(bytes, of: limit).isNearlyFull == isNear, "\(bytes) of \(limit)")
            #expect((quota(bytes, of: limit).notice != nil) == isNear)
        }
        let notice = try #require(quota(90 << 20, of: 100 << 20).notice)
        #expect(notice.code == .folderNearlyFull && notice.hint?.hasSuffix("tributaryctl compact") == true)
        #expect(notice.detail.contains("/srv/logs has 90.0 MiB of the 100.0 MiB"))
        // Those that hold most, and the other ones not.
        #expect(notice.detail.contains("till-5 (\(LogsFolder.writer(5))) 5.0 MiB, \(LogsFolder.writer(4)) 4.0 MiB"))
        #expect(!notice.detail.contains("\(LogsFolder.writer(2))"))
        #expect(notice.detail.contains("No compaction has run yet"))
    }

    @Test func theNoticeSaysWhatKeepsTheFolderLarge() throws {
        var report = CompactionReport(dryRun: false)
        report.baseline = .waits("There is too little that could be removed.")
        report.remaining = [.init(file: "f", bytes: 7, waitsFor: ["writer till-2", "retention.keep_segments"])]
        (report.remainingSegments, report.remainingBytes) = (12, 3 << 20)
        let text = try #require(quota(95, of: 100, report).notice).detail
        #expect(text.contains("No baseline is cut: There is too little that could be removed."))
        #expect(
            text.contains("12 segments with 3.0 MiB stay; the first waits for: writer till-2; retention.keep_segments.")
        )
        let none = try #require(quota(95, of: 100, CompactionReport(dryRun: false)).notice).detail
        #expect(none.contains("This store has no files that can be removed now."))
        let full = Problem.folderFull("/srv/logs", limit: 1 << 30, waiting: 3, since: 5)
        let completed = quota(1 << 30, of: 1 << 30, report).completing(full)
        #expect(
            completed.detail.contains("3 transactions of this store wait") && completed.detail.contains("12 segments")
        )
        #expect(completed.since == 5 && completed.code == .folderFull)
    }

    /// Changes acknowledge as well: where stores wait for each other, one segment goes out although the folder is full.
    @Test func oneSegmentGoesOutBeyondTheLimitWhereOthersWrite() async throws {
        try save(1...3)
        #expect(try exporter(limit: 1, exceptions: 1).run().segments == 1, "the folder is empty at first")
        #expect(try exporter(limit: 1, exceptions: 1).run() == ImportCounts(), "nobody else waits for anything")
        _ = try store.write { try $0.register([LogsFolder.writer(1)]) }
        #expect(try exporter(limit: 1, exceptions: 1).run() == ImportCounts(), "nothing of the other one is applied")
    }

    @Test func anExceptionIsDueOnceAnHour() {
        var state = SyncState(
            configuration: SyncConfiguration(logs: logs.path),
            planner: ImportPlanner(own: own, limits: SyncConfiguration(logs: logs.path).limits)
        )
        let start = wall.now
        func exceeds(after seconds: Int) -> Bool { state.mayExceedLimit(wall: start.later(by: .seconds(seconds))) }
        func makesRoom(after seconds: Int) -> Bool { state.mayMakeRoom(wall: start.later(by: .seconds(seconds))) }
        func exported(_ segments: Int, withheld: Int?, after seconds: Int) {
            state.exported(
                ImportCounts(segments: segments),
                withheld: withheld,
                wall: start.later(by: .seconds(seconds))
            )
        }
        #expect([0, 3_599, 3_600].map(exceeds) == [false, false, true])
        exported(1, withheld: 1, after: 3_600)
        #expect([7_199, 7_200].map(exceeds) == [false, true])
        // A clock that was set back begins anew.
        #expect([0, 3_599].map(exceeds) == [false, false])
        // While changes wait, the compaction looks every ten minutes.
        #expect([0, 599, 600].map(makesRoom) == [true, false, true])
        exported(0, withheld: nil, after: 600)
        #expect(!makesRoom(after: 9_000))
    }

    /// The stores acknowledge each other through what each of them has to publish.
    @Test func twoStoresDoNotWaitForEachOtherForEver() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall, configure: { $0.maxBytes = 1 })
        try logs.hire(LogsFolder.writer(1), 1...1)
        try await replica.service.importAll()
        try replica.save([SyncModel.insert(9)])
        _ = try await replica.service.exportNow()
        #expect(logs.segments(of: replica.own).isEmpty)
        #expect(replica.service.status.problems.map(\.code) == [.folderFull])
        wall.advance(milliseconds: 3_600_000)
        try replica.save([SyncModel.insert(10)])
        _ = try await replica.service.exportNow()
        #expect(logs.segments(of: replica.own).count == 1)
        #expect(replica.service.status.problems.map(\.code) == [], "both changes are in the one segment")
    }
}
