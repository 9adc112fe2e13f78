import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Extreme numbers from files, clocks and settings stop nothing; in a debug build each overflow would trap.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct HostileNumbersTests {
    @Test func thePlannerTakesAnyNumbers() {
        var generator = SeededGenerator.fromEnvironment()
        print("seed \(generator.seed)")
        for _ in LongProofs.rounds(300) {
            var run = HostilePlan(&generator)
            for _ in 0..<40 { run.step(&generator) }
        }
    }

    @Test func timesOfFilesAreComparedWhateverTheyAre() {
        var generator = SeededGenerator.fromEnvironment()
        print("seed \(generator.seed)")
        for _ in 0..<10_000 {
            var status = stat()
            status.st_mtim.tv_sec = Int(HostileNumbers.signed(&generator))
            status.st_ctim.tv_sec = Int(HostileNumbers.signed(&generator))
            status.st_size = off_t(HostileNumbers.signed(&generator))
            let file = FileIdentity(status)
            let wall = WallTime(milliseconds: HostileNumbers.unsigned(&generator))
            let isOlder = file.modified.isOlder(than: .seconds(2), at: wall)
            let seconds = Double(wall.milliseconds / 1000)
            #expect(isOlder == (Double(status.st_mtim.tv_sec) + 2 < seconds) || wall.milliseconds > 1 << 53)
        }
    }

    @Test func durationsOfAnyLengthBecomeLimits() {
        var generator = SeededGenerator.fromEnvironment()
        print("seed \(generator.seed)")
        for _ in 0..<10_000 {
            var configuration = SyncConfiguration(logs: "/")
            configuration.maxAhead = .seconds(HostileNumbers.signed(&generator))
            configuration.incompleteGrace = .seconds(HostileNumbers.signed(&generator))
            configuration.sliceChanges = Int(HostileNumbers.signed(&generator))
            configuration.memory = HostileNumbers.signed(&generator)
            let limits = configuration.limits
            #expect(limits.batchChanges >= 1 && limits.batchBytes >= 1 << 20)
        }
    }

    @Test func timesFarFromNowAndFilesOfAnySizeStopNothing() async throws {
        let folder = try TemporaryFolder.inMemory("logs")
        let logs = folder.path("logs")
        let a = LogsFolder.writer(1)
        let b = LogsFolder.writer(2)
        for (writer, first) in [(a, 1), (b, 1), (b, 2)] as [(UniqueID, UInt64)] {
            let segment = LogsFolder.text(writer, first...first, base: writer == a ? 0 : 10)
            try folder.write(String(decoding: segment.bytes(), as: UTF8.self), to: "logs/\(segment.name.path)")
        }
        // The two sparse files have overlapping names and the greatest size that the file system allows.
        for range in ["0000000000000002-ffffffffffffffff", "0000000000000002-fffffffffffffffe"] {
            let path = "\(logs)/\(a)/\(range).tlog"
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
            var size = off_t.max
            while truncate(path, size) != 0, size > 0 { size /= 2 }
        }
        for (path, seconds) in [
            ("\(a)/0000000000000001-0000000000000001.tlog", 1 << 40), ("\(a)", Int.max),
            ("\(b)/0000000000000001-0000000000000001.tlog", Int.min), ("\(b)", 1 << 33),
        ] {
            var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 999_999_999)]
            try #require(utimensat(AT_FDCWD, "\(logs)/\(path)", &times, 0) == 0)
        }
        for _ in 0..<2 {
            let replica = try await SyncReplica(logs, wall: SyncWall())
            _ = try await replica.service.sync()
            #expect(try replica.position(a) == 1)
            #expect(try replica.position(b) == 2)
            #expect(replica.service.status.segments[.applied] == 3)
            try await replica.stop()
        }
    }

    @Test func aPauseThatTheStoreRemembersMayHaveAnyEnd() async throws {
        let logs = try LogsFolder()
        let folder = try TemporaryFolder("replica")
        let first = try await SyncReplica(logs.path, wall: SyncWall(), folder: folder)
        _ = try first.store.write { try $0.setSetting(StoreKeys.paused, to: "0 \(UInt64.max)") }
        try await first.stop()
        let second = try await SyncReplica(
            logs.path,
            wall: SyncWall(),
            folder: folder,
            configure: {
                $0.rescan = .every(.seconds(Int64.max))
                $0.acknowledge = .seconds(Int64.max)
                $0.exportDebounce = .seconds(Int64.max)
            }
        )
        #expect(second.service.status.pausedSince == 0)
        try await second.service.pause(for: .seconds(Int64.max))
        try await second.service.resume()
        #expect(second.service.status.pausedSince == nil)
        try await second.stop()
    }
}
