import SimulationWorld
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// A store joins a baseline, or refuses it with a reason; the random schedules of ``ConvergenceTests`` join as well.
@Suite struct BaselineJoinTests {
    private let folder: TemporaryFolder
    private let clock = SimulatedClock()

    init() throws { folder = try TemporaryFolder.inMemory("baselines") }

    private func replica(_ index: Int, in folder: TemporaryFolder? = nil) throws -> Replica {
        try Replica(index, model: SimulationModel.model(), folder: folder ?? self.folder, clock: clock)
    }

    private func person(_ index: Int, _ name: String) -> Change {
        let write = PropertyWrite(name: "name", value: .string(name))
        return Change(entity: "Person", id: SimulationModel.ids(of: "Person")[index], operation: .insert([write]))
    }

    /// Observers and history get the effects as one transaction, and the next save acknowledges what was joined.
    @Test func theEffectsAreOneTransaction() throws {
        let (first, second) = (try replica(0), try replica(1))
        defer { try? first.close() }
        defer { try? second.close() }
        for (index, name) in ["Ann", "Bob"].enumerated() { _ = try first.save([person(index, name)]) }
        _ = try second.save([person(1, "Ben")])
        let before = try second.newestTransaction()
        let joined = try #require(try second.join(try first.baseline()))
        #expect(joined.number == (try second.newestTransaction()))
        #expect(joined.changes.inserted.map(\.uniqueID) == [SimulationModel.ids(of: "Person")[0]])
        let history = try second.store.read { try $0.history.transactions(after: before, limit: 10) }
        #expect(history.last?.number == joined.number)
        #expect(history.last?.author == WriteTransaction.joinAuthor)
        #expect(history.last?.changes.isEmpty == false)
        #expect(history.dropLast().allSatisfy { $0.changes.isEmpty })
        #expect(try second.position(of: first.writer) == 2)
        let next = try #require(try second.save([person(2, "Cid")]))
        #expect(next.header.seen == [first.writer: 2])
    }

    /// A store that was set back takes what it has lost from a baseline, as a store takes anybody's transactions.
    @Test func aStoreThatIsOlderThanItsBaselineJoinsIt() throws {
        let other = try TemporaryFolder.inMemory("older")
        let first = try replica(0)
        defer { try? first.close() }
        _ = try first.save([person(0, "Ann")])
        let older = try replica(0, in: other)
        defer { try? older.close() }
        #expect(older.writer == first.writer)
        try older.join(try first.baseline())
        #expect(try older.dump() == first.dump())
        #expect(try older.baseline() == first.baseline())
    }

    @Test func storesJoinBaselinesOfAnotherVersionOfTheModel() throws {
        let (first, second) = (try replica(0), try replica(1))
        defer { try? first.close() }
        defer { try? second.close() }
        _ = try first.save([person(0, "Ann")])
        try second.grow()
        try second.join(try first.baseline())
        _ = try second.save([person(1, "Bob")])
        try first.join(try second.baseline())
        try first.grow()
        #expect(try first.dump() == second.dump())
    }

    /// A file that changes while it is joined leaves nothing behind.
    @Test func aFileThatChangesLeavesNothing() throws {
        let (first, second) = (try replica(0), try replica(1))
        defer { try? first.close() }
        defer { try? second.close() }
        for index in 0..<3 { _ = try first.save([person(index, "Ann")]) }
        let lines = try first.baseline()
        let before = (try second.dump(), try second.newestTransaction())
        let failure = #expect(throws: SegmentError.self) {
            try second.join(lines, changedTo: lines.map { $0.replacing("Ann", with: "Eve") })
        }
        #expect(failure?.kind == .changed)
        #expect(try second.dump() == before.0)
        #expect(try second.newestTransaction() == before.1)
        #expect(try second.position(of: first.writer) == 0)
    }
}
