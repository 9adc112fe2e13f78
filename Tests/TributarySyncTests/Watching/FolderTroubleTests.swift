import Foundation
import Glibc
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

@testable import TributarySync

/// The scanner keeps the known state of files that the system refuses to show for a moment, and soon scans them again.
@Suite struct FolderTroubleTests {
    private let folder: TemporaryFolder
    private let writer = UniqueID(high: 0xA, low: 1)
    private let other = UniqueID(high: 0xB, low: 1)

    init() throws {
        folder = try TemporaryFolder("trouble")
        chmod(folder.path, 0o755)
        for id in [writer, other] { try folder.write("x", to: SegmentName(writer: id, first: 1, last: 1).path) }
    }

    /// Runs `body` as a user with restricted permissions.
    ///
    /// Root can read everything, so the file accesses of this thread count as another user's meanwhile.
    private func asUser<T>(_ body: () -> T) throws -> T {
        guard getuid() == 0 else { return body() }
        let symbol = try #require(dlsym(nil, "setfsuid"))
        let setUser = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
        _ = setUser(65_534)
        defer { _ = setUser(0) }
        return body()
    }

    @Test func aWritersFolderThatCannotBeOpenedIsKeptAndLookedAtAgain() throws {
        var scanner = FolderScanner(path: folder.path)
        let before = scanner.scanAll()
        #expect(before.listings.count == 2 && before.retry.isEmpty)
        #expect(chmod(folder.path("\(writer)"), 0) == 0)
        try folder.write("x", to: SegmentName(writer: other, first: 2, last: 2).path)
        var hints = FolderHints(everything: true)
        for _ in 0..<2 {
            let refused = try asUser { scanner.scan(hints, wall: 0) { _ in 0 } }
            #expect(refused.vanished.isEmpty)
            #expect(refused.retry.folders == [writer] && !refused.retry.isEverything)
            #expect(refused.problems.map(\.code) == [.logsUnreadable])
            hints = refused.retry
        }
        #expect(chmod(folder.path("\(writer)"), 0o755) == 0)
        let cured = try asUser { scanner.scan(hints, wall: 0) { _ in 0 } }
        #expect(cured.listings.map(\.writer) == [writer] && cured.listings.first?.pending.count == 1)
        #expect(cured.retry.isEmpty && cured.problems.isEmpty)
        #expect(cured.lookedAt.contains(folder.path("\(writer)")))
    }

    @Test func aHintAboutAFileOfSuchAFolderIsNotLost() throws {
        var scanner = FolderScanner(path: folder.path)
        _ = scanner.scanAll()
        chmod(folder.path("\(writer)"), 0)
        var hints = FolderHints()
        hints.insert(file: SegmentName(writer: writer, first: 1, last: 1))
        let refused = try asUser { scanner.scan(hints, wall: 0) { _ in 0 } }
        chmod(folder.path("\(writer)"), 0o755)
        #expect(refused.retry.folders == [writer])
    }

    @Test func theLogFolderItselfIsTriedAgain() throws {
        var scanner = FolderScanner(path: folder.path)
        _ = scanner.scanAll()
        var hints = FolderHints()
        hints.insert(folder: writer)
        chmod(folder.path, 0)
        let refused = try asUser { scanner.scan(hints, wall: 0) { _ in 0 } }
        chmod(folder.path, 0o755)
        #expect(refused.retry.folders == [writer])
        #expect(refused.vanished.isEmpty && refused.problems.map(\.code) == [.logsUnreadable])
        var gone = FolderScanner(path: folder.path("nothing"))
        #expect(gone.scan(hints, wall: 0) { _ in 0 }.retry.isEverything)
    }

    @Test func refusedHintsComeBackAfterSeconds() {
        var scans = ScanSchedule()
        _ = scans.next(now: .zero)
        scans.rescan(at: .seconds(60))
        var hints = FolderHints()
        hints.insert(folder: writer)
        scans.retry(FolderHints(), now: .seconds(1))
        #expect(scans.due == .seconds(60))
        scans.retry(hints, now: .seconds(10))
        hints.insert(folder: other)
        scans.retry(hints, now: .seconds(14))
        #expect(scans.due == .seconds(15))
        #expect(scans.next(now: .seconds(14)).isEmpty)
        #expect(scans.next(now: .seconds(15)).folders == [writer, other])
        #expect(scans.due == .seconds(60) && scans.next(now: .seconds(59)).isEmpty)
    }

    @Test func aBlobThatTheSystemRefusesIsNotTakenForMissing() throws {
        let bytes = Array("picture".utf8)
        let hash = SegmentText.hash(bytes)
        let value = #"{"blob":"\#(hash)","size":\#(bytes.count)}"#
        let text = SegmentText(
            writer: writer,
            last: 1,
            [
                #"{"transaction":1,"clock":"019aa3f1c2d40000","changes":1}"#,
                #"{"insert":"Employee","id":"\#(other)","values":{"photo":\#(value)}}"#,
            ]
        )
        let segment = try SegmentVerifier().verify(MemorySegment(text.bytes()), name: text.name)
        try folder.write(String(decoding: text.bytes(), as: UTF8.self), to: text.name.path)
        try folder.write("picture", to: "\(writer)/blobs/\(hash)")
        let logs = try LogFolder(path: folder.path)
        let search = BlobSearch(logs: logs)
        let file = try logs.open(text.name)
        #expect(try search.missing(in: segment, file: file).isEmpty)
        chmod(folder.path("\(writer)/blobs/\(hash)"), 0)
        let refused = try asUser { Result { try search.missing(in: segment, file: file) } }
        let error = #expect(throws: SegmentError.self) { try refused.get() }
        #expect(error?.kind == .inputOutput(EACCES))
    }

    @Test func problemsOfAFolderEndWhenItIsLookedAtAgain() {
        var problems = SyncProblems()
        let here = FolderProblem(code: .logsUnreadable, path: "/a", reason: "x")
        let there = FolderProblem(code: .logsUnreadable, path: "/b", reason: "x")
        let found = problems.updateFolder([here, there], isWhole: true, scanned: ["/", "/a", "/b"], wall: 1)
        #expect(found == SyncProblems.FolderChange(begun: [here, there]))
        let same = problems.updateFolder([there], isWhole: false, scanned: ["/", "/b"], wall: 2)
        #expect(problems.ofFolder == [here: 1, there: 1] && same == SyncProblems.FolderChange())
        let less = problems.updateFolder([], isWhole: false, scanned: ["/", "/a"], wall: 3)
        #expect(problems.ofFolder == [there: 1] && less == SyncProblems.FolderChange(ended: [here]))
    }

    @Test func aSegmentThatTheSystemRefusesIsTriedAgainAfterSeconds() {
        var bench = PlannerBench()
        let segment = PlannerBench.name(PlannerBench.a, 1, 1)
        let ahead = PlannerBench.name(PlannerBench.a, 5, 5)
        bench.put(segment, .unreadable(reason: "Too many open files."))
        bench.put(ahead, .unreadable(reason: "Too many open files."))
        #expect(bench.settle() == PlannerBench.wall.later(by: .milliseconds(5_000)))
        #expect(bench.state(segment) == .rejected && bench.status(segment)?.hint?.contains("again") == true)
        bench.wall = bench.wall.later(by: .milliseconds(4_999))
        bench.settle()
        #expect(bench.verified == [segment, ahead])
        bench.content = [:]
        bench.wall = bench.wall.later(by: .milliseconds(1))
        #expect(bench.settle() == nil)
        #expect(bench.state(segment) == .applied && bench.state(ahead) == .waiting)
    }
}
