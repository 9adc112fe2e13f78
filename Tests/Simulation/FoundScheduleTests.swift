import Foundation
import SimulationWorld
import TestSupport
import Testing
import TributaryChanges

/// Schedules that once had a wrong result, reduced to the steps that caused it.
@Suite struct FoundScheduleTests {
    @Test func theFoundSchedulesEndAsTheyShould() async throws {
        let folder = PackageFolder.path("Tests/Simulation/Schedules")
        let printed = try await SimulationProcess.run("simulate", ["--replay", folder])
        #expect(printed.components(separatedBy: ": ends as it should").count > 15, "\(printed)")
    }

    private static let person = UniqueID(high: 0x1000, low: 1)

    private func insert(_ entity: String, _ writes: [PropertyWrite] = []) -> Change {
        Change(entity: entity, id: Self.person, operation: .insert(writes))
    }

    @Test func aPropertyThatComesWithAnotherConcreteEntityReadsAsItsDefault() async throws {
        let employee = Step.save(replica: 1, [insert("Employee")])
        let person = Step.save(replica: 0, [insert("Person", [PropertyWrite(name: "age", value: .integer(0))])])
        try await World.play(Schedule([employee, person]))
        try await World.play(Schedule([person, employee]))
    }

    @Test func aDeferredUnlinkIsSupersededByALaterDeletionOfTheOtherEnd() async throws {
        let other = UniqueID(high: 0x1000, low: 2)
        let unlink = Change(entity: "Person", id: Self.person, operation: .unlink(to: "rivals", ids: [other]))
        let delete = Change(entity: "Person", id: other, operation: .delete)
        for transactions in [[[unlink], [delete]], [[delete, unlink]]] {
            let produced = transactions.map { Step.produce(producer: 1, skew: -1, $0) }
            try await World.play(Schedule(producers: 2, produced + [.grow(replica: 0)]))
        }
    }

    @Test func aDeferredValueOfAnInsertDoesNotMakeADeletedObjectVisible() async throws {
        let level = PropertyWrite(name: "level", value: .integer(1))
        let unlink = Change(entity: "Person", id: Self.person, operation: .unlink(to: "rivals", ids: [Self.person]))
        let delete = Change(entity: "Manager", id: Self.person, operation: .delete)
        let produced: [Step] = [[insert("Person", [level])], [unlink], [delete]].map { changes in
            .produce(producer: 0, skew: 0, changes)
        }
        try await World.play(Schedule(produced))
    }
}
