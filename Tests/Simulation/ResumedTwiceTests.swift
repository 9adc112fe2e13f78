import SimulationWorld
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

/// A machine that is resumed twice from its memory is the one way to write one transaction of one writer twice.
@Suite struct ResumedTwiceTests {
    private let folder: TemporaryFolder
    private let clock = SimulatedClock()

    init() throws { folder = try TemporaryFolder.inMemory("resumed") }

    private func replica(_ index: Int) throws -> Replica {
        try Replica(index, model: SimulationModel.model(), folder: folder, clock: clock)
    }

    private func person(_ index: Int, _ name: String) -> Change {
        let write = PropertyWrite(name: "name", value: .string(name))
        return Change(entity: "Person", id: SimulationModel.ids(of: "Person")[index], operation: .insert([write]))
    }

    /// Publishes what a replica has, and leaves it with the others.
    private func publish(_ replica: Replica, to others: Replica...) async throws {
        _ = try await replica.export()
        for segment in try replica.ownSegments() {
            for other in others { try other.leave(segment) }
        }
    }

    @Test(arguments: [false, true])
    func theLaterTransactionIsToldAndNotApplied(isLonger: Bool) async throws {
        let (first, second, third, fourth) = (try replica(0), try replica(1), try replica(2), try replica(3))
        let all = [first, second, third, fourth]
        defer { for replica in all { try? replica.close() } }
        _ = try first.save([person(0, "Ann")])
        try await publish(first, to: second, third)
        try second.becomeCopy(of: first, .unnoticed)
        try second.takeToken(of: first)
        _ = try first.save([person(1, "Bob")])
        _ = try second.save([person(1, "Ben")])
        if isLonger { _ = try second.save([person(2, "Cid")]) }
        _ = try fourth.save([person(2, "Dan")])
        #expect(first.writer == second.writer)
        try await publish(first, to: third)
        try await third.importAll()
        try await publish(second, to: first, third)
        try await publish(fourth, to: first, third)
        for replica in [first, third] {
            try await replica.importAll()
            let forked = try replica.forked
            #expect(forked.map(\.id.writer) == [first.writer])
            #expect(forked.allSatisfy { !$0.reason.isEmpty })
            #expect(try replica.position(of: first.writer) == 2)
            #expect(try replica.position(of: fourth.writer) == 1)
        }
        #expect(try first.dump() == third.dump())
    }
}
