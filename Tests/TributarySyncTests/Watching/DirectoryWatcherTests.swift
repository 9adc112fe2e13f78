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

    /// A watcher of a folder, and the hints that it has reported.
    private final class Watched: Sendable {
        let watcher: DirectoryWatcher
        private let reported: Reported

        private final class Reported: Sendable {
            let signal = Signal()
            let hints = Mutex(FolderHints())
        }

        /// Watches the folder, and that of a writer in it.
        init(_ path: String, _ writer: UniqueID? = nil) throws {
            let reported = Reported()
            self.reported = reported
            watcher = try DirectoryWatcher(path: path) { hints in
                reported.hints.withLock { $0.formUnion(hints) }
                reported.signal.raise()
            }
            watcher.watchRoot()
            if let writer { watcher.watch(writer) }
        }

        func takeHints() -> FolderHints {
            reported.hints.withLock { hints in
                defer { hints = FolderHints() }
                return hints
            }
        }

        /// Waits for hints that satisfy the condition; the time limit ends a test without such hints.
        func hints(until isEnough: (FolderHints) -> Bool = { !$0.isEmpty }) async -> FolderHints {
            var all = FolderHints()
            while true {
                all.formUnion(takeHints())
                if isEnough(all) { return all }
                await reported.signal.wait()
            }
        }
    }

    @Test func afterAFlushAllHintsUntilThenAreReported() throws {
        let folder = try TemporaryFolder("watch")
        try folder.write("x", to: "\(writer)/.hidden")
        let watched = try Watched(folder.path, writer)
        for sequence in UInt64(1)...100 {
            let name = SegmentName(writer: writer, first: sequence, last: sequence)
            try folder.write("x", to: name.path)
            watched.watcher.flush()
            #expect(watched.takeHints().files.contains(name))
        }
    }

    @Test func aSegmentThatIsRenamedIntoPlaceIsNamed() async throws {
        let folder = try TemporaryFolder("watch")
        let name = SegmentName(writer: writer, first: 1, last: 1)
        try folder.write("x", to: "\(writer)/.hidden")
        let watched = try Watched(folder.path, writer)
        #expect(rename(folder.path("\(writer)/.hidden"), folder.path(name.path)) == 0)
        let found = await watched.hints { !$0.files.isEmpty }
        #expect(found.files == [name])
        #expect(!found.isEverything)
    }

    @Test func aWritersFolderThatAppearsLaterAsksForALookAtIt() async throws {
        let folder = try TemporaryFolder("watch")
        let watched = try Watched(folder.path)
        try folder.write("x", to: "unrelated/file")
        mkdir(folder.path(writer.description), 0o755)
        let found = await watched.hints()
        #expect(found.folders == [writer] && !found.isEverything)
    }

    @Test func aFolderWithNearlyAWritersNameAsksForALookEverywhere() async throws {
        let folder = try TemporaryFolder("watch")
        let watched = try Watched(folder.path)
        mkdir(folder.path(UniqueID(high: 0xAB, low: 0xCD).description.uppercased()), 0o755)
        #expect(await watched.hints().isEverything)
    }

    @Test func aLogFolderThatIsMadeAnewAsksForALookEverywhere() async throws {
        let folder = try TemporaryFolder("watch")
        mkdir(folder.path("logs"), 0o755)
        let watched = try Watched(folder.path("logs"))
        rmdir(folder.path("logs"))
        #expect(await watched.hints().isEverything)
        watched.watcher.watchRoot()
        mkdir(folder.path("logs"), 0o755)
        #expect(await watched.hints().isEverything)
    }

    @Test func replicatorsFilesAreNoHint() async throws {
        let folder = try TemporaryFolder("watch")
        mkdir(folder.path(writer.description), 0o755)
        let watched = try Watched(folder.path, writer)
        for name in [".syncthing.x.tmp", "y.tmp", ".nfs1"] { try folder.write("x", to: "\(writer)/\(name)") }
        let name = SegmentName(writer: writer, first: 7, last: 9)
        try folder.write("x", to: name.path)
        let found = await watched.hints()
        #expect(found.files == [name] && found.folders.isEmpty)
    }

    @Test func hintsAreBounded() {
        var hints = FolderHints()
        for number in 1...10_000 as ClosedRange<UInt64> {
            hints.insert(file: SegmentName(writer: writer, first: number, last: number))
        }
        #expect(hints.folders == [writer] && !hints.isEverything)
        #expect(hints.files.count <= FolderHints.fileLimit)
        for number in 1...10_000 as ClosedRange<UInt64> { hints.insert(folder: UniqueID(high: number, low: 1)) }
        #expect(hints.isEverything && hints.folders.count <= FolderHints.fileLimit)
    }
}
