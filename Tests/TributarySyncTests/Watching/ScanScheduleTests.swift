import Testing
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
}
