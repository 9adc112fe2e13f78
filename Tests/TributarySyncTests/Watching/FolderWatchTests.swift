import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// The first stage of the import with the test's own clock.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct FolderWatchTests {
    private let folder: TemporaryFolder
    private let writer = UniqueID(high: 0xA, low: 2)

    init() throws { folder = try TemporaryFolder("watch") }

    private func hints(_ watch: inout FolderWatch, at now: Duration, adding requested: FolderHints = FolderHints())
        -> FolderHints
    {
        watch.nextHints(adding: requested, now: now, rescan: .every(.seconds(60)))
    }

    @Test func everythingIsScannedAtTheStartAndAtEachRescan() throws {
        var watch = FolderWatch(path: folder.path, signal: Signal())
        #expect(hints(&watch, at: .zero).isEverything)
        #expect(watch.due == .seconds(60))
        #expect(hints(&watch, at: .seconds(59)).isEmpty)
        #expect(hints(&watch, at: .seconds(60)).isEverything)
        #expect(watch.due == .seconds(120))
    }

    @Test func whatIsRequestedComesAtOnceAndWhatIsRefusedComesLater() throws {
        var watch = FolderWatch(path: folder.path, signal: Signal())
        _ = hints(&watch, at: .zero)
        var requested = FolderHints()
        requested.insert(folder: writer)
        #expect(hints(&watch, at: .seconds(1), adding: requested) == requested)
        watch.retryLater(requested, now: .seconds(2))
        #expect(watch.due == .seconds(2) + FolderRetry.interval)
        #expect(hints(&watch, at: .seconds(3)).isEmpty)
        #expect(hints(&watch, at: watch.due) == requested)
        #expect(watch.due == .seconds(60))
    }

    @Test func aRequestForEverythingPutsTheRescanOff() throws {
        var watch = FolderWatch(path: folder.path, signal: Signal())
        _ = hints(&watch, at: .zero)
        #expect(hints(&watch, at: .seconds(50), adding: FolderHints(everything: true)).isEverything)
        #expect(watch.due == .seconds(110))
    }
}
