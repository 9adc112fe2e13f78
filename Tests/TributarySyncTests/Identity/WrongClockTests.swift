import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// The clock of a machine was wrong, and is set right.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct WrongClockTests {
    private static let lead: UInt64 = 10 * 86_400_000

    private let logs: LogsFolder
    private let wall = SyncWall()

    init() throws { logs = try LogsFolder() }

    private func digest(_ replica: SyncReplica) throws -> String {
        try replica.store.read { try $0.mergeState.digest().digest }
    }

    private func isInTime(_ replica: SyncReplica) throws -> Bool {
        try replica.store.read { try !$0.writers.own().clock.isAhead(of: wall.now, by: .seconds(3600)) }
    }

    private func writers(_ replica: SyncReplica) throws -> [WriterRecord] {
        try replica.store.read { try $0.writers.all() }
    }

    @Test func whatOverwritesAnAcceptedValueGoesThrough() async throws {
        let aheadWall = SyncWall()
        let early = try await SyncReplica(logs.path, wall: aheadWall, name: "early")
        let other = try await SyncReplica(logs.path, wall: wall, name: "other")
        try early.save([SyncModel.insert(4)])
        for replica in [early, other] { _ = try await replica.service.sync() }
        try other.save([SyncModel.insert(1)])
        for replica in [other, early] { _ = try await replica.service.sync() }
        aheadWall.advance(milliseconds: Self.lead)
        let sequence = try early.save([SyncModel.update(1, "name", .string("ahead"))])
        _ = try await early.service.sync()
        aheadWall.setBack(milliseconds: Self.lead)
        let notice = try #require(early.service.publishedLead(writers(early), at: wall.now))
        #expect(notice.code == .publishedClockAhead && notice.detail.contains("other (\(other.own))"), "\(notice)")
        _ = try await other.service.sync()
        #expect(other.service.status.problems.map(\.code) == [.segmentsHeld])

        // What overwrites nothing of it goes on with right clocks on both sides, as a fresh writer here.
        try early.save([SyncModel.insert(2)])
        #expect(try isInTime(early) && early.store.read { try $0.writers.own().id } != early.own)
        let held = SegmentName(writer: early.own, first: sequence, last: sequence)
        #expect(try await other.service.segment(held)?.isAhead == true)
        try await other.service.accept(held)
        try other.save([SyncModel.insert(3)])
        #expect(try isInTime(other))
        // What overwrites it has a greater clock, and is not held.
        try other.save([SyncModel.update(1, "name", .string("later"))])
        #expect(try !isInTime(other))
        for _ in 0..<2 {
            for replica in [early, other] { _ = try await replica.service.sync() }
        }
        for replica in [early, other] {
            #expect(replica.service.status.problems.isEmpty, "\(replica.service.status.problems)")
            #expect(try replica.employees(1...9).count == 4)
        }
        #expect(try digest(early) == digest(other))
        #expect(try early.service.publishedLead(writers(early), at: wall.now) == nil)
    }

    /// A machine with two wrong clocks was two writers; its second writer goes on from the first writer.
    @Test func ofHeldWritersTheOneThatOthersGoOnFromIsNamed() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let (first, second) = (LogsFolder.writer(2), LogsFolder.writer(1))
        for (writer, number) in [(first, 1), (second, 2)] as [(UniqueID, UInt64)] {
            let ahead = wall.now.later(by: .milliseconds(number * Self.lead))
            var segment = SegmentText(
                writer: writer,
                [SyncModel.transaction(1, at: ahead, [SyncModel.insert(number)])]
            )
            let after = writer == second ? Incarnation.Predecessor(writer: first, sequence: 1) : nil
            let incarnation = Incarnation(store: first, after: after)
            segment.lines[0] = SegmentHeader(writer: writer, first: 1, last: 1, incarnation: incarnation).line
            try logs.put(segment)
        }
        for (writer, count) in [(first, 1), (second, 2)] {
            _ = try await replica.service.sync()
            let problem = try #require(replica.service.status.problems.first { $0.code == .segmentsHeld })
            let name = SegmentName(writer: writer, first: 1, last: 1)
            #expect(problem.writer == writer, "\(problem)")
            #expect(problem.hint?.contains("tributaryctl segment accept \(name.path)") == true, "\(problem)")
            try await replica.service.accept(name)
            #expect(try replica.employees(1...9).count == count)
        }
        #expect(!replica.service.status.problems.contains { $0.code == .segmentsHeld })
    }

    /// Each segment is a second after the one before: those that are applied open the way to no other.
    @Test func segmentsDoNotLeadAheadStepByStep() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let writer = LogsFolder.writer(1)
        let segments = (1...5 as ClosedRange<UInt64>).map { sequence in
            let time = wall.now.later(by: .milliseconds(3_598_000 + 999 * sequence))
            let transaction = SyncModel.transaction(sequence, at: time, [SyncModel.insert(sequence)])
            return SegmentText(writer: writer, [transaction])
        }
        for segment in segments { try logs.put(segment) }
        _ = try await replica.service.sync()
        #expect(try replica.position(writer) == 2)
        #expect(replica.service.status.problems.map(\.code) == [.segmentsHeld])
        try await replica.service.accept(segments[2].name)
        _ = try await replica.service.sync()
        #expect(try replica.position(writer) == 3)
        #expect(replica.service.status.problems.map(\.code) == [.segmentsHeld])
        // What others write onto the accepted value goes through.
        let taken = try replica.store.read { try $0.writers.greatestPublishedClock() }
        func follow(_ number: UInt64, _ beyond: ClosedRange<UInt64>) throws -> UniqueID {
            let transactions = beyond.enumerated().map { index, counts in
                let clock = HybridClock(rawValue: taken.rawValue + counts)
                let header = TransactionHeader(sequence: UInt64(index) + 1, clock: clock, changeCount: 1)
                return LogTransaction(header: header, changes: [SyncModel.insert(10 * number + counts)])
            }
            try logs.put(SegmentText(writer: LogsFolder.writer(number), transactions))
            return LogsFolder.writer(number)
        }
        let near = try follow(2, 1...3)
        let far = try follow(3, 8...10)
        _ = try await replica.service.sync()
        #expect(try replica.position(near) == 3 && replica.position(far) == 0)
    }

    @Test func aStepOfTheClockTakesWhatIsHeld() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let writer = LogsFolder.writer(1)
        let ahead = wall.now.later(by: .milliseconds(Self.lead))
        try logs.put(SegmentText(writer: writer, [SyncModel.transaction(1, at: ahead, [SyncModel.insert(1)])]))
        _ = try await replica.service.sync()
        #expect(replica.service.status.problems.map(\.code) == [.segmentsHeld])
        let events = replica.service.segmentEvents()
        wall.advance(milliseconds: Self.lead)
        replica.service.clockWasSet()
        _ = try await SyncReplica.wait(events) { $0.state == .applied }
    }

    /// What was read while the clock was ahead is acknowledged once the clock is right.
    @Test func anAcknowledgementThatWasDueInTheFutureIsDue() async throws {
        let wall = SyncWall()
        wall.advance(milliseconds: Self.lead)
        let reader = try await SyncReplica(
            logs.path,
            wall: wall,
            configure: { $0.acknowledge = .seconds(600) }
        )
        try logs.hire(LogsFolder.writer(1), 1...1)
        _ = try await reader.service.sync()
        #expect(await reader.service.exports.acknowledgeWhenDue())
        #expect(try reader.store.read { try $0.writers.own().sequence } == 0)
        wall.setBack(milliseconds: Self.lead)
        #expect(await reader.service.exports.acknowledgeWhenDue())
        #expect(try reader.store.read { try $0.writers.own().sequence } == 1)
    }

    @Test func aPauseThatBeginsInTheFutureIsOver() {
        #expect(ImportPause(since: 9_000, until: 10_000).isOver(at: 1_000))
        #expect(!ImportPause(since: 9_000, until: nil).isOver(at: 1_000))
        #expect(!ImportPause(since: 9_000, until: 10_000).isOver(at: 9_500))
    }

    /// A new machine that joins a baseline with a clock that is ahead has the clock of its machine all the same.
    @Test func aJoinedClockMovesNoOther() async throws {
        let group = try await CompactingReplicas.filled(2)
        group.wall.advance(milliseconds: Self.lead)
        for number in 11...12 as ClosedRange<UInt64> {
            try group.replicas[Int(number) - 11].save([SyncModel.insert(number)])
        }
        try await group.exchange()
        try await group.acknowledge()
        try await group.compactAll()
        group.wall.setBack(milliseconds: Self.lead)
        let new = try await SyncReplica(
            group.logs.path,
            wall: group.wall,
            hasExternalPhotos: true,
            configure: {
                $0.maxAhead = .milliseconds(2 * Self.lead)
                $0.incompleteGrace = .milliseconds(1)
            }
        )
        for _ in 0..<3 {
            _ = try? await new.service.sync()
            group.wall.advance(milliseconds: 10)
        }
        #expect(try new.employees(1...99) == [1, 2, 11, 12])
        try new.save([SyncModel.insert(21)])
        let clock = try new.store.read { try $0.writers.own().clock }
        #expect(!clock.isAhead(of: group.wall.now, by: .seconds(3600)))
        try await new.service.exportNow()
        for replica in group.replicas {
            _ = try await replica.service.sync()
            #expect(try replica.employees(21...21) == [21])
        }
    }
}
