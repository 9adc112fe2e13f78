import Foundation
import Synchronization
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore
import TributarySync

@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct DirectoryWatcherTests {
    private let writer = UniqueID(high: 0xA, low: 2)

    /// The hints that a watcher has reported.
    private final class Reported: Sendable {
        let signal = Signal()
        private let hints = Mutex(FolderHints())

        func insert(_ hints: FolderHints) {
            self.hints.withLock { $0.formUnion(hints) }
            signal.raise()
        }

        func drain() -> FolderHints {
            hints.withLock { hints in
                defer { hints = FolderHints() }
                return hints
            }
        }
    }

    /// Waits for hints that satisfy the condition; the time limit ends a test without such hints.
    private func hints(
        _ reported: Reported,
        until isEnough: (FolderHints) -> Bool
    ) async -> FolderHints {
        var all = FolderHints()
        while true {
            all.formUnion(reported.drain())
            if isEnough(all) { return all }
            await reported.signal.wait()
        }
    }

    @Test func aSegmentThatIsRenamedIntoPlaceIsNamed() async throws {
        let folder = try TemporaryFolder("watch")
        let name = SegmentName(writer: writer, first: 1, last: 1)
        try folder.write("x", to: "\(writer)/.hidden")
        let reported = Reported()
        let watcher = try DirectoryWatcher(path: folder.path, report: reported.insert)
        watcher.watchRoot()
        watcher.watch(writer)
        #expect(rename(folder.path("\(writer)/.hidden"), folder.path(name.path)) == 0)
        let found = await hints(reported) { !$0.files.isEmpty }
        #expect(found.files == [name])
        #expect(!found.isEverything)
    }

    @Test func aWritersFolderThatAppearsLaterAsksForALookAtIt() async throws {
        let folder = try TemporaryFolder("watch")
        let reported = Reported()
        let watcher = try DirectoryWatcher(path: folder.path, report: reported.insert)
        watcher.watchRoot()
        try folder.write("x", to: "unrelated/file")
        mkdir(folder.path(writer.description), 0o755)
        let found = await hints(reported) { !$0.isEmpty }
        #expect(found.folders == [writer] && !found.isEverything)
    }

    @Test func aFolderWithNearlyAWritersNameAsksForALookEverywhere() async throws {
        let folder = try TemporaryFolder("watch")
        let reported = Reported()
        let watcher = try DirectoryWatcher(path: folder.path, report: reported.insert)
        watcher.watchRoot()
        mkdir(folder.path(UniqueID(high: 0xAB, low: 0xCD).description.uppercased()), 0o755)
        #expect(await hints(reported) { !$0.isEmpty }.isEverything)
    }

    @Test func aLogFolderThatIsMadeAnewAsksForALookEverywhere() async throws {
        let folder = try TemporaryFolder("watch")
        mkdir(folder.path("logs"), 0o755)
        let reported = Reported()
        let watcher = try DirectoryWatcher(path: folder.path("logs"), report: reported.insert)
        watcher.watchRoot()
        rmdir(folder.path("logs"))
        #expect(await hints(reported) { !$0.isEmpty }.isEverything)
        watcher.watchRoot()
        mkdir(folder.path("logs"), 0o755)
        #expect(await hints(reported) { !$0.isEmpty }.isEverything)
    }

    @Test func replicatorsFilesAreNoHint() async throws {
        let folder = try TemporaryFolder("watch")
        mkdir(folder.path(writer.description), 0o755)
        let reported = Reported()
        let watcher = try DirectoryWatcher(path: folder.path, report: reported.insert)
        watcher.watchRoot()
        watcher.watch(writer)
        for name in [".syncthing.x.tmp", "y.tmp", ".nfs1"] { try folder.write("x", to: "\(writer)/\(name)") }
        let name = SegmentName(writer: writer, first: 7, last: 9)
        try folder.write("x", to: name.path)
        let found = await hints(reported) { !$0.isEmpty }
        #expect(found.files == [name] && found.folders.isEmpty)
    }

    @Test func hintsAreBounded() {
        var hints = FolderHints()
        for number in 1...10_000 as ClosedRange<UInt64> {
            hints.insert(file: SegmentName(writer: writer, first: number, last: number))
        }
        #expect(hints.folders == [writer])
        #expect(hints.files.isEmpty)
        hints.insertEverything()
        #expect(hints.isEverything && hints.folders.isEmpty)
    }
}
