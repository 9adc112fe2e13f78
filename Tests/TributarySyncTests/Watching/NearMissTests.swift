import Foundation
import Glibc
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

@testable import TributarySync

/// The status and the list of segments report names that are nearly right, with the fault of each name.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct NearMissTests {
    private let logs: LogsFolder
    private let a = LogsFolder.writer(1)
    private let b = LogsFolder.writer(0xAB)

    init() throws { logs = try LogsFolder() }

    @Test func misnamedFilesAndFoldersAreReportedUntilTheyAreNamedRight() async throws {
        let text = LogsFolder.text(a, 1...1)
        try logs.put(text.bytes(), at: "\(a)/1-1.tlog")
        try logs.put(LogsFolder.text(b, 1...1, base: 10).bytes(), at: "\(b.description.uppercased())/x")
        let replica = try await SyncReplica(logs.path, wall: SyncWall())
        let events = replica.service.segmentEvents()
        _ = try await replica.service.sync()
        let listed = try #require(try await replica.service.segments().first)
        #expect(listed.id == text.name && listed.state == .rejected)
        #expect(listed.file == "\(a)/1-1.tlog")
        #expect(listed.reason.contains(text.name.fileName))
        let problems = replica.service.status.problems
        #expect(problems.first { $0.code == .segmentsRejected }?.detail.contains("1-1.tlog") == true)
        let folder = try #require(problems.first { $0.code == .logsMisnamed })
        #expect(folder.detail.contains(b.description.uppercased()) && folder.detail.contains("lower-case"))

        #expect(rename("\(logs.path)/\(a)/1-1.tlog", "\(logs.path)/\(text.name.path)") == 0)
        #expect(rename("\(logs.path)/\(b.description.uppercased())", "\(logs.path)/\(b)") == 0)
        _ = try await SyncReplica.wait(events) { $0.id == text.name && $0.state == .applied }
        _ = try await replica.service.sync()
        #expect(replica.service.status.problems.isEmpty)
        #expect(try await replica.service.segments().isEmpty)
    }

    @Test func aMisnamedFileThatComesLaterIsAnnounced() async throws {
        try logs.hire(a, 1...1)
        let replica = try await SyncReplica(logs.path, wall: SyncWall())
        let events = replica.service.segmentEvents()
        try logs.put(LogsFolder.text(a, 2...2).bytes(), at: "\(a)/0000000000000002-0000000000000002.TLOG")
        let status = try await SyncReplica.wait(events) { $0.state == .rejected }
        #expect(status.id == PlannerBench.name(a, 2, 2))
        #expect(status.file.hasSuffix(".TLOG"))
    }

    /// A writer that calls its folder by its own name; folders without segments, and those of replicators, are left alone.
    @Test func aFolderWithTheNameOfAMachineIsNamed() async throws {
        let text = LogsFolder.text(a, 1...1)
        try logs.put(text.bytes(), at: "till-3/\(text.name.fileName)")
        try logs.put([1], at: "notes/readme.txt")
        try logs.put(text.bytes(), at: ".stversions/\(text.name.fileName)")
        let replica = try await SyncReplica(logs.path, wall: SyncWall())
        _ = try await replica.service.sync()
        let problems = replica.service.status.problems
        #expect(problems.map(\.code) == [.logsMisnamed], "\(problems)")
        #expect(problems.first?.detail.contains("/till-3: It has segments") == true, "\(problems)")
        #expect(rename("\(logs.path)/till-3", "\(logs.path)/\(a)") == 0)
        _ = try await replica.service.sync()
        #expect(replica.service.status.problems.isEmpty, "\(replica.service.status.problems)")
    }

    /// Each of many such folders is opened at each scan: their number is bounded.
    @Test func manyFoldersOfMachinesAreBounded() throws {
        for number in 0..<50 { try logs.put([1], at: "till-\(number)/x.tlog") }
        var scanner = FolderScanner(path: logs.path)
        #expect(scanner.scanAll().problems.count == 16)
    }

    @Test func manyMisnamedFilesAreBounded() throws {
        for number in 0..<1_500 {
            let path = "\(logs.path)/\(a)/\(number).tlog"
            try FileManager.default.createDirectory(atPath: "\(logs.path)/\(a)", withIntermediateDirectories: true)
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
        }
        var scanner = FolderScanner(path: logs.path)
        let scan = scanner.scanAll()
        #expect(scan.listings.first?.unusableFiles.count == 1_000)
    }
}
