import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

@testable import TributarySync

@Suite struct FolderScannerTests {
    private let writer = UniqueID(high: 0xA, low: 1)
    private let wall = WallTime(Date())
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("scan") }

    private func file(_ first: UInt64, _ last: UInt64) -> String {
        SegmentName(writer: writer, first: first, last: last).path
    }

    @Test func onlyNamesOfThePatternCount() throws {
        for name in [
            file(1, 2), "\(writer)/.syncthing.0000000000000003-0000000000000003.tlog.tmp",
            "\(writer)/0000000000000003-0000000000000003.tlog.tmp", "\(writer)/.nfs0001", "\(writer)/.stfolder",
            ".stversions/x", "\(writer)/.stversions/1-2.tlog", "\(writer)/x.sync-conflict-20240620-101500-ABCDEF7.tlog",
            "\(writer)/.0000000000000003-0000000000000003.tlog.aB3dEf", "notes.txt",
            "\(writer)/0000000000000003-0000000000000003.tlog.1a2b3c4d.partial",
            "\(writer)/0000000000000003-0000000000000003.tlog.!sync", "\(writer)/3-3 (conflicted copy 2026-01-02).tlog",
            "0000000000000003-0000000000000003 (conflicted copy 2026-01-02).tlog",
            "\(writer)/notes.txt",
        ] { try folder.write("x", to: name) }
        var scanner = FolderScanner(path: folder.path)
        let scan = scanner.scanAll(at: wall)
        let listing = try #require(scan.listings.first)
        #expect(scan.listings.count == 1)
        #expect(listing.pending.map(\.id) == [SegmentName(writer: writer, first: 1, last: 2)])
        #expect(listing.unusableFiles.isEmpty && scan.problems.isEmpty)
    }

    /// Only a writer's newest baselines are examined, and those that stores have compared.
    @Test func newerBaselinesHideNoneThatWasCompared() throws {
        let names = (1...40 as ClosedRange<UInt64>).map { BaselineName(writer: writer, sequence: $0) }
        for name in names { try folder.write("x", to: name.path) }
        let other = UniqueID(high: 0xB, low: 1)
        let compared = [2, 3] as Set<UInt64>
        for name in names where compared.contains(name.sequence) {
            try folder.write("x", to: BaselineComparison.Name(writer: other, of: name).path)
        }
        var scanner = FolderScanner(path: folder.path)
        _ = scanner.scanAll(at: wall)
        #expect(scanner.baselines.baselines.map(\.sequence) == compared.sorted() + Array(25...40))
    }

    @Test func irregularFilesAreRejectedWithoutBeingOpened() throws {
        try folder.write("x", to: file(9, 9))
        symlink("/etc/passwd", folder.path(file(1, 1)))
        mkfifo(folder.path(file(2, 2)), 0o600)
        mkdir(folder.path(file(3, 3)), 0o700)
        try folder.write("x", to: file(0, 0))
        try folder.write("x", to: file(5, 4))
        try folder.write(
            "x",
            to: "\(writer)/0000000000000007-0000000000000007.sync-conflict-20240620-101500-ABCDEF7.tlog"
        )
        var scanner = FolderScanner(path: folder.path)
        let scan = scanner.scanAll(at: wall)
        let listing = try #require(scan.listings.first)
        let unusableFiles = Dictionary(uniqueKeysWithValues: listing.unusableFiles.map { ($0.id.first, $0) })
        #expect(listing.pending.map(\.id.first) == [9])
        #expect(unusableFiles[1]?.reason.contains("symbolic link") == true)
        #expect(unusableFiles[2]?.reason.contains("named pipe") == true)
        #expect(unusableFiles[3]?.reason.contains("folder") == true)
        for number in [0, 1, 2, 3, 5] as [UInt64] { #expect(unusableFiles[number]?.state == .rejected) }
        #expect(unusableFiles[7]?.state == .forked)
        #expect(unusableFiles.count == 6)
    }

    @Test func aLinkWithAWritersNameIsNotFollowed() throws {
        let elsewhere = try TemporaryFolder("elsewhere")
        try elsewhere.write("x", to: "0000000000000001-0000000000000001.tlog")
        symlink(elsewhere.path, folder.path(writer.description))
        var scanner = FolderScanner(path: folder.path)
        let scan = scanner.scanAll(at: wall)
        #expect(scan.listings.isEmpty)
        #expect(scan.problems.map(\.code) == [.logsUnreadable])
    }

    @Test func aMissingFolderIsAProblemAndItsWritersVanish() throws {
        try folder.write("x", to: "logs/" + file(1, 1))
        var scanner = FolderScanner(path: folder.path("logs"))
        let before = scanner.scanAll(at: wall)
        #expect(before.listings.count == 1)
        try FileManager.default.removeItem(atPath: folder.path("logs"))
        let gone = scanner.scanAll(at: wall)
        #expect(gone.vanished == [writer])
        #expect(gone.problems.map(\.code) == [.logsMissing])
        try folder.write("x", to: "logs/" + file(2, 2))
        let again = scanner.scanAll(at: wall)
        #expect(again.listings.first?.pending.map(\.id.first) == [2])
    }

    @Test func filesAtOrBelowThePositionAreOnlyNamedAndComparedOnce() throws {
        for number in 1...5 as ClosedRange<UInt64> { try folder.write("x", to: file(number, number)) }
        var scanner = FolderScanner(path: folder.path)
        let scan = scanner.scan(FolderHints(everything: true), wall: wall) { _ in 3 }
        #expect(scan.listings.first?.applied.count == 3)
        #expect(scan.listings.first?.pending.count == 2)
        let unchecked = scanner.unchecked(limit: 10)
        #expect(Set(unchecked.map(\.first)) == [1, 2, 3])
        for name in unchecked { scanner.checked(name) }
        // A file that was applied meanwhile was verified then.
        _ = scanner.scan(FolderHints(everything: true), wall: wall) { _ in 5 }
        #expect(scanner.unchecked(limit: 10).isEmpty)
        // An overwritten file is compared again, also when the event comes together with a request for everything, or with an
        // event of its folder.
        for isEverything in [false, true] {
            for isFolder in [false, true] {
                var hints = FolderHints()
                hints.insert(file: SegmentName(writer: writer, first: 2, last: 2))
                if isFolder { hints.insert(folder: writer) }
                if isEverything { hints.formUnion(FolderHints(everything: true)) }
                _ = scanner.scan(hints, wall: wall) { _ in 5 }
                let overwritten = scanner.unchecked(limit: 10)
                #expect(overwritten.map(\.first) == [2])
                for name in overwritten { scanner.checked(name) }
            }
        }
    }

    @Test func aHintAboutAFileLooksAtThatFileAlone() throws {
        try folder.write("x", to: file(1, 1))
        var scanner = FolderScanner(path: folder.path)
        _ = scanner.scanAll(at: wall)
        try folder.write("x", to: file(2, 2))
        try folder.write("x", to: file(3, 3))
        try FileManager.default.removeItem(atPath: folder.path(file(1, 1)))
        var hints = FolderHints()
        hints.insert(file: SegmentName(writer: writer, first: 1, last: 1))
        hints.insert(file: SegmentName(writer: writer, first: 3, last: 3))
        let scan = scanner.scan(hints, wall: wall) { _ in 0 }
        let change = try #require(scan.changes.first)
        #expect(change.pending.map(\.id.first) == [3])
        #expect(Set(change.names.map(\.first)) == [1, 3])
        #expect(scan.listings.isEmpty && change.unusableFiles == nil)
        // The next whole scan finds the rest.
        let whole = scanner.scanAll(at: wall)
        #expect(Set(whole.listings.first?.pending.map(\.id.first) ?? []) == [2, 3])
    }

    @Test func anUnchangedFolderIsNotListedAgainButItsPendingFilesAreLookedAt() throws {
        try folder.write("x", to: file(1, 1))
        var scanner = FolderScanner(path: folder.path)
        // The scan is long after the change of the folder, so that its time stamp is reliable.
        let later = wall.later(by: .milliseconds(60_000))
        let first = scanner.scanAll(at: later)
        let handle = try #require(FileHandle(forWritingAtPath: folder.path(file(1, 1))))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        try handle.close()
        let second = scanner.scanAll(at: later)
        #expect(first.listings.first?.pending.first?.file.size == 1)
        #expect(second.listings.first?.pending.first?.file.size == 5)
    }

    /// On a mount the list of a folder may be kept for longer than its time stamp: the scan that reads a new stamp with an old
    /// list must not be the last one.
    @Test(arguments: [(0x6573_5546, [1, 2]), (0x6969, [1, 2]), (0xEF53, [1])] as [(UInt32, [UInt64])])
    func aFolderOnAMountIsListedAgainAlthoughItsTimeStampIsKnown(fileSystem: UInt32, found: [UInt64]) throws {
        try folder.write("x", to: file(1, 1))
        let path = folder.path(writer.description)
        let stamp = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
        let whole = Date(timeIntervalSince1970: stamp.timeIntervalSince1970.rounded(.down))
        try FileManager.default.setAttributes([.modificationDate: whole], ofItemAtPath: path)
        var scanner = FolderScanner(path: folder.path) { fileSystem }
        let minute = wall.later(by: .milliseconds(60_000))
        #expect(scanner.scanAll(at: minute).listings.first?.pending.map(\.id.first) == [1])
        try folder.write("x", to: file(2, 2))
        try FileManager.default.setAttributes([.modificationDate: whole], ofItemAtPath: path)
        #expect(scanner.scanAll(at: minute).listings.first?.pending.map(\.id.first).sorted() == found)
        // What is older than anything keeps it is reliable there too.
        let later = wall.later(by: .milliseconds(3_600_000))
        #expect(scanner.scanAll(at: later).listings.first?.pending.map(\.id.first).sorted() == found)
        try folder.write("x", to: file(3, 3))
        try FileManager.default.setAttributes([.modificationDate: whole], ofItemAtPath: path)
        #expect(scanner.scanAll(at: later).listings.first?.pending.map(\.id.first).sorted() == found)
    }

    @Test func tenThousandUnrelatedFilesAreIgnored() throws {
        try folder.write("x", to: file(1, 1))
        for number in 0..<5_000 {
            _ = FileManager.default.createFile(atPath: folder.path("unrelated-\(number)"), contents: nil)
            _ = FileManager.default.createFile(atPath: folder.path("\(writer)/unrelated-\(number).txt"), contents: nil)
        }
        var scanner = FolderScanner(path: folder.path)
        let scan = scanner.scanAll(at: wall)
        #expect(scan.listings.map(\.pending.count) == [1])
        #expect(scan.listings.first?.unusableFiles.isEmpty == true)
    }
}

extension FolderScanner {
    /// Scans everything for a store that has applied nothing.
    mutating func scanAll(at wall: WallTime = 0) -> FolderScan {
        scan(FolderHints(everything: true), wall: wall) { _ in 0 }
    }
}
