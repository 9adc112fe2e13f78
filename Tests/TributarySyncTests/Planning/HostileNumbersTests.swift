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
        var generator = SeededGenerator.printingSeed()
        for _ in LongProofs.rounds(300) {
            var run = HostilePlan(&generator)
            for _ in 0..<40 { run.step(&generator) }
        }
    }

    @Test func timesOfFilesAreComparedWhateverTheyAre() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<10_000 {
            var status = stat()
            status.st_mtim.tv_sec = Int(HostileNumbers.signed(&generator))
            status.st_ctim.tv_sec = Int(HostileNumbers.signed(&generator))
            status.st_size = off_t(HostileNumbers.signed(&generator))
            let file = FileAttributes(status)
            let wall = WallTime(milliseconds: HostileNumbers.unsigned(&generator))
            let isOlder = file.modified.isOlder(than: .seconds(2), at: wall)
            let seconds = Double(wall.milliseconds / 1000)
            #expect(isOlder == (Double(status.st_mtim.tv_sec) + 2 < seconds) || wall.milliseconds > 1 << 53)
        }
    }

    @Test func durationsOfAnyLengthBecomeLimits() {
        var generator = SeededGenerator.printingSeed()
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
    }
}

/// A planner that gets numbers at the limits of arithmetic.
struct HostilePlan {
    private var planner: ImportPlanner
    private var wall: WallTime

    init(_ generator: inout SeededGenerator) {
        var limits = ImportPlanner.Limits(
            maxAhead: .milliseconds(HostileNumbers.unsigned(&generator)),
            incompleteGrace: .milliseconds(HostileNumbers.unsigned(&generator))
        )
        limits.batchBytes = max(1, HostileNumbers.signed(&generator))
        planner = ImportPlanner(own: PlannerBench.own, limits: limits)
        wall = WallTime(milliseconds: HostileNumbers.unsigned(&generator))
    }

    mutating func step(_ generator: inout SeededGenerator) {
        let writer = generator.next() % 2 == 0 ? PlannerBench.a : PlannerBench.b
        switch generator.next() % 6 {
        case 0: planner.found(listing(writer, &generator), wall: wall)
        case 1: planner.setPosition(WriterPosition(sequence: HostileNumbers.unsigned(&generator)), of: writer)
        case 2: wall = WallTime(milliseconds: HostileNumbers.unsigned(&generator))
        default: act(&generator)
        }
        ask()
    }

    private mutating func act(_ generator: inout SeededGenerator) {
        switch planner.next(wall: wall) {
        case .verify(let pending):
            for file in pending {
                planner.verified(file.id, file: file.file, as: result(file.id, &generator), wall: wall)
            }
        case .apply(let runs):
            for run in runs {
                if generator.next() % 3 > 0 {
                    planner.finished(run.id)
                } else {
                    let sequence = HostileNumbers.unsigned(&generator)
                    let bounds = SegmentBounds(first: run.id.first, last: run.id.last)
                    let partial = WriterPosition.Partial(bounds: bounds, sha256: run.segment.sha256)
                    planner.advanced(run.id.writer, to: sequence, partial: partial)
                }
            }
        case .join(let baseline): preconditionFailure("the plan has no baseline \(baseline.name)")
        case .wait: break
        }
    }

    private mutating func ask() {
        _ = planner.counts(wall: wall)
        _ = planner.queueLength(wall: wall)
        _ = planner.announce(wall: wall)
        for status in planner.statuses(wall: wall) {
            #expect(planner.status(of: status.id, wall: wall)?.state == status.state, "\(status.id)")
        }
    }

    private func listing(_ writer: UniqueID, _ generator: inout SeededGenerator) -> WriterListing {
        var listing = WriterListing(writer: writer)
        var names: Set<SegmentName> = []
        for _ in 0..<6 {
            let ends = [HostileNumbers.unsigned(&generator), HostileNumbers.unsigned(&generator)].sorted()
            let name = SegmentName(writer: writer, first: max(1, ends[0]), last: max(1, ends[1]))
            guard names.insert(name).inserted else { continue }
            let time = FileTime(seconds: HostileNumbers.signed(&generator), nanoseconds: 999_999_999)
            let size = max(0, HostileNumbers.signed(&generator))
            listing.pending.append(
                .init(id: name, file: FileIdentity(FileAttributes(inode: 1, size: size, modified: time)))
            )
        }
        return listing
    }

    private func result(_ id: SegmentName, _ generator: inout SeededGenerator) -> VerificationResult {
        switch generator.next() % 6 {
        case 0: return .incomplete(reason: "No end line.", line: nil)
        case 1: return .bad(.damaged, reason: "Hash.", line: Int.max)
        case 2: return .unreadable(reason: "Permission.")
        case 3: return .changed
        default:
            let other = id.writer == PlannerBench.a ? PlannerBench.b : PlannerBench.a
            let unmet = SegmentSummary.UnmetDependencies(
                sequence: HostileNumbers.unsigned(&generator),
                needs: [other: HostileNumbers.unsigned(&generator)]
            )
            return .valid(
                SegmentSummary(
                    sha256: id.path,
                    transactions: Int(clamping: HostileNumbers.unsigned(&generator)),
                    changes: Int(clamping: HostileNumbers.unsigned(&generator)),
                    lastClock: HybridClock(rawValue: HostileNumbers.unsigned(&generator)),
                    unmet: generator.next() % 2 == 0 ? unmet : nil
                )
            )
        }
    }
}
