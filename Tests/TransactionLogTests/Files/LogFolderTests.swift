import Foundation
import Glibc
import TestSupport
import Testing
import TributaryChanges

@testable import TransactionLog

@Suite struct LogFolderTests {
    let folder: TemporaryFolder
    let writer = UniqueID(high: 0x5f0c_0000_0000_7000, low: 0x8000_0000_0000_0001)
    let transactions = [
        LogTransaction(header: .init(sequence: 1, clock: HybridClock(milliseconds: 5), changeCount: 0), changes: [])
    ]

    init() throws { folder = try TemporaryFolder("logs") }

    private var name: SegmentName { SegmentName(writer: writer, first: 1, last: 1) }
    private var path: String { folder.path(name.path) }

    private func makeWriterFolder() throws {
        try FileManager.default.createDirectory(atPath: folder.path("\(writer)"), withIntermediateDirectories: true)
    }

    private func publish(_ transactions: [LogTransaction]) throws -> SegmentEnd {
        let header = SegmentHeader(writer: writer, first: 1, last: UInt64(transactions.count))
        return try LogFolder(path: folder.path).publish(header.segmentName, header: header.line) {
            for transaction in transactions {
                try $0.append(lines: transaction.lines, changes: transaction.changes.count)
            }
        }
    }

    private func openError() throws -> SegmentError? {
        let logs = try LogFolder(path: folder.path)
        return #expect(throws: SegmentError.self) { try logs.open(name) }
    }

    @Test func publishedSegmentsAreThereAndVerify() throws {
        let end = try publish(transactions)
        let file = try LogFolder(path: folder.path).open(name)
        #expect(try SegmentVerifier().verify(file, name: name).end == end)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o660)
        #expect(stat(folder.path(".staging/\(writer)"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(".staging/\(writer)")).isEmpty)
    }

    @Test func aFileThatHasGoneAlreadyIsRemoved() throws {
        _ = try publish(transactions)
        let logs = try LogFolder(path: folder.path)
        #expect(try logs.remove(["gone", name.fileName], of: writer) == 1)
        #expect(try logs.fileNames(of: writer).isEmpty)
        #expect(try logs.remove([name.fileName], of: writer) == 0)
        // A folder is no file.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: SegmentError.self) { try logs.remove([name.fileName], of: writer) }
    }

    /// A power failure leaves a whole segment or none, and brings nothing back that was removed.
    @Test func filesAndFoldersAreDurableInOrder() throws {
        let staged = ".staging/\(writer)"
        let publishing = try DurableCalls(in: folder.path) { _ = try publish(transactions) }
        #expect(
            publishing.contain(
                "sync .",
                "sync .staging",
                "sync \(staged)/\(name.fileName)",
                "sync .",
                "name \(name.path)",
                "sync \(writer)"
            ),
            "\(publishing)"
        )
        let removing = try DurableCalls(in: folder.path) {
            try LogFolder(path: folder.path).remove([name.fileName], of: writer)
        }
        #expect(removing.contain("remove \(name.path)", "sync \(writer)"), "\(removing)")
    }

    @Test func publishingTheSameBytesAgainIsDone() throws {
        let first = try publish(transactions)
        #expect(try publish(transactions) == first)
    }

    @Test func publishingOtherBytesIsAForkAndReplacesNothing() throws {
        let first = try publish(transactions)
        var other = transactions
        other[0].header.clock = HybridClock(milliseconds: 6)
        let error = #expect(throws: SegmentError.self) { try publish(other) }
        #expect(error?.kind == .forked)
        #expect(try SegmentTail.read(LogFolder(path: folder.path).open(name)).end == first)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(".staging/\(writer)")).isEmpty)
    }

    @Test func anInterruptedExportIsFinished() throws {
        try folder.write("half a segm", to: ".staging/\(writer)/\(name.fileName)")
        _ = try publish(transactions)
        #expect(throws: Never.self) {
            try SegmentVerifier().verify(LogFolder(path: folder.path).open(name), name: name)
        }
    }

    enum Obstacle: CaseIterable, Sendable {
        case file, link, pipe, folder

        func put(at path: String) throws {
            let files = FileManager.default
            try files.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true
            )
            switch self {
            case .file: try Data("x".utf8).write(to: URL(filePath: path))
            case .link: try files.createSymbolicLink(atPath: path, withDestinationPath: path)
            case .pipe: try #require(mkfifo(path, 0o666) == 0)
            case .folder: try files.createDirectory(atPath: path + "/full", withIntermediateDirectories: true)
            }
        }
    }

    /// Nothing in the staging folder is waited for, and nothing of this attempt is left there.
    @Test(arguments: Obstacle.allCases) func nothingInTheStagingFolderIsInTheWay(_ obstacle: Obstacle) throws {
        let own = ".staging/\(writer)"
        for place in [".staging", own, "\(own)/\(name.fileName)", "\(own)/\(name.fileName).ready"] {
            if place == ".staging", obstacle == .folder { continue }
            try? FileManager.default.removeItem(atPath: folder.path(".staging"))
            try? FileManager.default.removeItem(atPath: path)
            try obstacle.put(at: folder.path(place))
            _ = try publish(transactions)
            #expect(throws: Never.self, "\(place)") {
                try SegmentVerifier().verify(LogFolder(path: folder.path).open(name), name: name)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path(".staging"))
            #expect(left == ["\(writer)"], "\(place)")
        }
    }

    @Test func aLockedStagingFolderIsNotWaitedFor() throws {
        let staging = folder.path(".staging/\(writer)")
        try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: true)
        let lock = Glibc.open(staging, O_RDONLY | O_DIRECTORY)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        _ = try publish(transactions)
        #expect(throws: Never.self) {
            try SegmentVerifier().verify(LogFolder(path: folder.path).open(name), name: name)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(".staging")) == ["\(writer)"])
    }

    /// A program was killed while it published, also while another one used the writer's staging folder.
    @Test func whatAKilledProgramHasStagedIsRemoved() throws {
        let own = ".staging/\(writer)"
        let other = ".staging/\(UniqueID(high: writer.high, low: writer.low + 1)).00000000000000aa/x.baseline"
        let held = "\(own).00000000000000bb/x.baseline"
        let stays = ["\(own)/x.tlog.ready", "\(own)/baselines/x.baseline", "\(own).part", other, held]
        let goes = ["\(own)/x.tlog", "\(own).00000000000000aa/x.baseline", "\(own).00000000000000aa/x.tlog.ready"]
        for path in stays + goes { try folder.write("half", to: path) }
        let lock = Glibc.open(folder.path("\(own).00000000000000bb"), O_RDONLY | O_DIRECTORY)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        _ = try publish(transactions)
        for path in stays { #expect(FileManager.default.fileExists(atPath: folder.path(path)), "\(path)") }
        for path in goes { #expect(!FileManager.default.fileExists(atPath: folder.path(path)), "\(path)") }
        #expect(!FileManager.default.fileExists(atPath: folder.path("\(own).00000000000000aa")))
        // Whoever stages a baseline removes the remains of another one.
        try FilePublisher(logs: LogFolder(path: folder.path)).publish(
            FilePublisher.Name(writer: writer, fileName: "y.baseline", stagingFolder: "baselines")
        ) { try $0.finish() }
        #expect(!FileManager.default.fileExists(atPath: folder.path("\(own)/baselines/x.baseline")))
    }

    @Test(arguments: Obstacle.allCases) func whatHasTheNameIsAForkAndStays(_ obstacle: Obstacle) throws {
        for place in [name.path, "\(writer)"] {
            if place != name.path, obstacle == .folder { continue }
            try? FileManager.default.removeItem(atPath: folder.path("\(writer)"))
            try obstacle.put(at: folder.path(place))
            let before = try FileManager.default.attributesOfItem(atPath: folder.path(place))[.systemFileNumber] as? Int
            let error = #expect(throws: SegmentError.self) { try publish(transactions) }
            #expect(error?.kind == .forked && error?.file == folder.path(place), "\(String(describing: error))")
            let after = try FileManager.default.attributesOfItem(atPath: folder.path(place))[.systemFileNumber] as? Int
            #expect(before == after)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(".staging/\(writer)")).isEmpty)
        }
    }

    /// A marked segment that was in its place has no ready file, and one that was not has one.
    @Test func aReadyFileShowsThatASegmentWasNotInItsPlace() throws {
        struct Stop: Error {}
        let logs = try LogFolder(path: folder.path)
        let header = SegmentHeader(writer: writer, first: 1, last: 1)
        func publish(_ begin: (SegmentEnd) throws -> Void) throws -> SegmentEnd {
            try logs.publish(header.segmentName, header: header.line, isMarked: true, begin: begin) {
                for transaction in transactions {
                    try $0.append(lines: transaction.lines, changes: transaction.changes.count)
                }
            }
        }
        #expect(!logs.isReady(name))
        for _ in 0..<2 {
            #expect(throws: Stop.self) { _ = try publish { _ in throw Stop() } }
            #expect(logs.isReady(name) && !FileManager.default.fileExists(atPath: path))
        }
        var announced: SegmentEnd?
        let end = try publish { announced = $0 }
        #expect(announced == end)
        #expect(!logs.isReady(name) && FileManager.default.fileExists(atPath: path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(".staging/\(writer)")).isEmpty)

        try FileManager.default.removeItem(atPath: path)
        try Obstacle.pipe.put(at: path)
        #expect(throws: SegmentError.self) { _ = try publish { _ in } }
        #expect(logs.isReady(name))
        logs.forgetReady(name)
        #expect(!logs.isReady(name))
    }

    @Test func aFailingBodyLeavesNothingBehind() throws {
        struct Stop: Error {}
        let logs = try LogFolder(path: folder.path)
        #expect(throws: Stop.self) { try logs.publish(name, header: "{}") { _ in throw Stop() } }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(".staging/\(writer)")).isEmpty)
    }

    @Test func aLinkInTheWayIsNotFollowed() throws {
        try FileManager.default.createDirectory(atPath: folder.path("elsewhere"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.path("\(writer)"), withDestinationPath: "elsewhere")
        #expect(throws: SegmentError.self) { try publish(transactions) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("elsewhere")).isEmpty)
        #expect(try openError()?.kind == .rejected)
    }

    @Test func anAbsentFileOrFolderIsMissing() throws {
        #expect(try openError()?.kind == .missing)
        try makeWriterFolder()
        #expect(try openError()?.kind == .missing)
        let error = #expect(throws: SegmentError.self) { try LogFolder(path: folder.path("nowhere")) }
        #expect(error?.kind == .missing)
    }

    @Test func aSymbolicLinkIsRejected() throws {
        try makeWriterFolder()
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
        let error = try openError()
        #expect(error?.kind == .rejected)
        #expect(error?.reason == "it is a symbolic link, not a regular file")
    }

    @Test func aNamedPipeIsRejectedWithoutWaiting() throws {
        try makeWriterFolder()
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try openError()?.reason == "it is a named pipe, not a regular file")
        let error = #expect(throws: SegmentError.self) { try OpenFile.open(path: path) }
        #expect(error?.kind == .rejected)
    }

    @Test func aFolderIsRejected() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(try openError()?.reason == "it is a folder, not a regular file")
        #expect(throws: SegmentError.self) { try OpenFile.open(path: path) }
    }

    @Test(.enabled(if: geteuid() != 0, "root reads everything"))
    func anUnreadableFileSaysSo() throws {
        try folder.write("x", to: name.path)
        #expect(chmod(path, 0) == 0)
        let error = try openError()
        #expect(error?.kind == .inputOutput(EACCES))
        #expect(error?.isPassing == false)
    }

    @Test func aSparseFileOf2GiBIsDoneWithAtOnce() throws {
        try folder.write("", to: name.path)
        #expect(truncate(path, 2 << 30) == 0)
        let error = #expect(throws: SegmentError.self) {
            try SegmentVerifier().verify(LogFolder(path: folder.path).open(name), name: name)
        }
        #expect(error?.kind == .incomplete)
    }

    @Test func aSparseFileWithAnEndLineIsReadInBoundedMemoryAndFound() throws {
        let text = SegmentText(writer: writer, transactions)
        try folder.write("", to: name.path)
        #expect(truncate(path, 64 << 20) == 0)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([0x0A] + text.endLine(of: text.body)))
        try handle.close()
        let error = #expect(throws: SegmentError.self) {
            try SegmentVerifier().verify(LogFolder(path: folder.path).open(name), name: name)
        }
        #expect(error?.kind == .damaged)
    }
}
