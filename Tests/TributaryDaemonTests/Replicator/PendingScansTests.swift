import Testing
import TributaryChanges

@testable import TributaryDaemon

@Suite struct PendingScansTests {
    private func writer(_ number: Int) -> UniqueID { UniqueID(high: 0xA, low: UInt64(number)) }

    @Test func filesOfOneFolderGiveOneScan() {
        var scans = PendingScans()
        #expect(scans.take() == nil)
        for number in [2, 1, 2, 1] { scans.insert(writer(number)) }
        #expect(scans.take() == [writer(1).description, writer(2).description])
        #expect(scans.take() == nil)
    }

    @Test func manyFoldersGiveAScanOfTheWhole() {
        var scans = PendingScans()
        for number in 0...PendingScans.limit { scans.insert(writer(number)) }
        #expect(scans.take() == [])
        #expect(scans.take() == nil)
    }

    @Test func whatFailedIsTakenAgainWithWhatCameMeanwhile() {
        var scans = PendingScans()
        scans.insert(writer(1))
        let taken = scans.take()
        #expect(taken == [writer(1).description])
        scans.insert(writer(2))
        scans.putBack(taken ?? [])
        #expect(scans.take() == [writer(1).description, writer(2).description])
        scans.putBack([])
        #expect(scans.take() == [])
    }
}
