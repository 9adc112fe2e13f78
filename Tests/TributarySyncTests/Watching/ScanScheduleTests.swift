import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

/// The decision which places are scanned, and when.
@Suite struct ScanScheduleTests {
    private let writer = UniqueID(high: 0xA, low: 2)

    /// The places to scan, as the import loop asks for them with an interval of a minute.
    private func next(_ scans: inout ScanSchedule, at now: Duration) -> FolderHints {
        let hints = scans.next(now: now)
        if hints.isEverything { scans.rescan(at: now + .seconds(60)) }
        return hints
    }

    @Test func everythingIsScannedAtTheStartAndAtEachRescan() {
        var scans = ScanSchedule()
        #expect(next(&scans, at: .zero).isEverything)
        #expect(next(&scans, at: .zero).isEmpty)
        #expect(scans.due == .seconds(60))
        #expect(next(&scans, at: .seconds(59)).isEmpty)
        #expect(next(&scans, at: .seconds(60)).isEverything)
        #expect(scans.due == .seconds(120))
    }

    @Test func hintsComeAtOnceAndRefusedPlacesComeLater() {
        var scans = ScanSchedule()
        _ = next(&scans, at: .zero)
        var hints = FolderHints()
        hints.insert(folder: writer)
        scans.insert(hints)
        #expect(next(&scans, at: .seconds(1)) == hints)
        #expect(next(&scans, at: .seconds(1)).isEmpty)
        scans.retry(hints, now: .seconds(2))
        #expect(scans.due == .seconds(2) + ScanSchedule.retryInterval)
        #expect(next(&scans, at: .seconds(3)).isEmpty)
        #expect(next(&scans, at: scans.due) == hints)
        #expect(scans.due == .seconds(60))
    }

    @Test func aRequestForEverythingPutsTheRescanOff() {
        var scans = ScanSchedule()
        _ = next(&scans, at: .zero)
        scans.insert(FolderHints(everything: true))
        #expect(next(&scans, at: .seconds(50)).isEverything)
        #expect(scans.due == .seconds(110))
    }

    @Test func hintsThatComeMeanwhileAreScannedNext() {
        var scans = ScanSchedule()
        let first = scans.next(now: .zero)
        var hints = FolderHints()
        hints.insert(blobsOf: writer)
        scans.insert(hints)
        scans.rescan(at: .seconds(60))
        #expect(first.isEverything && scans.next(now: .seconds(1)) == hints)
    }

    /// Past the limit the files of a writer become its folder, and the folders everything.
    @Test func tooManyHintsBecomeCoarser() {
        func file(_ number: Int, of writer: UniqueID) -> SegmentName {
            SegmentName(writer: writer, first: UInt64(number), last: UInt64(number))
        }
        var hints = FolderHints()
        for number in 1...FolderHints.fileLimit { hints.insert(file: file(number, of: writer)) }
        #expect(hints.files.count == FolderHints.fileLimit && hints.folders.isEmpty)
        let other = UniqueID(high: 0xA, low: 3)
        hints.insert(file: file(1, of: other))
        #expect(hints.files.isEmpty && hints.folders == [writer, other])
        // A file that is named later stays named beside its folder, and beside everything.
        let later = file(FolderHints.fileLimit + 1, of: writer)
        hints.insert(file: later)
        #expect(hints.files == [later])
        for number in 3...FolderHints.fileLimit { hints.insert(folder: UniqueID(high: 0xB, low: UInt64(number))) }
        #expect(hints.folders.count == FolderHints.fileLimit && !hints.isEverything)
        hints.insert(folder: UniqueID(high: 0xB, low: 1))
        #expect(hints.isEverything && hints.folders.isEmpty && hints.files == [later])
    }
}
