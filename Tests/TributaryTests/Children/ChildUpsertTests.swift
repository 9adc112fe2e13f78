import TestSupport
import Testing

@testable import Tributary

/// Upsert in child contexts: what it finds above, and how many unsaved objects it visits there.
struct ChildUpsertTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open(.memory) }

    @Test @MainActor func unsavedObjectsOfTheParentAreVisitedAFewTimesHoweverManyThereAre() throws {
        let count = 1_000
        let parent = container.viewContext
        for number in 0..<count {
            try parent.hire("\(number)").code = "AA\(number)"
        }
        let child = parent.newChild().newChild()
        for number in 0..<2 * count {
            let employee = try child.upsert(Employee.self, by: ["code": .string("AA\(number)")])
            #expect((employee.state == .inserted) == (number >= count))
            employee.name = "later"
        }
        #expect(child.insertedObjects.count == count)
        #expect(parent.pending.list.keys.visited <= 4 * count, "\(parent.pending.list.keys.visited)")
    }

    @Test func aChildOnItsOwnQueueFindsWhatItHasSavedInTheSameBody() async throws {
        let parent = container.newBackgroundContext()
        try await parent.perform { context in
            for number in 0..<100 {
                let employee = try context.insert(Employee.self)
                (employee.name, employee.code) = ("\(number)", "AA\(number)")
            }
        }
        let child = parent.newChild()
        try await child.perform { context in
            for number in 0..<200 {
                let employee = try context.upsert(Employee.self, by: ["code": .string("AA\(number)")])
                #expect((employee.state == .inserted) == (number >= 100))
                employee.name = "later"
                if number % 20 == 0 { try context.save() }
            }
            try context.save()
            let moved = try context.upsert(Employee.self, by: ["code": .string("AA7")])
            #expect(moved.state == .clean)
            moved.code = "BB7"
            try context.save()
            #expect(try context.upsert(Employee.self, by: ["code": .string("BB7")]) === moved)
            let other = try context.upsert(Employee.self, by: ["code": .string("AA7")])
            #expect(other.state == .inserted)
            other.name = "other"
            context.delete(moved)
            try context.save()
            #expect(try context.upsert(Employee.self, by: ["code": .string("AA7")]) === other)
            #expect(try context.upsert(Employee.self, by: ["code": .string("BB7")]).state == .inserted)
            context.rollback()
            let source = try #require(context.source as? StagedSource)
            // Once for the parent's objects, then once for each that a save has handed over.
            #expect(source.keys.visited < 100 + 300 + 50, "\(source.keys.visited)")
        }
        let count = await parent.perform { $0.insertedObjects.count }
        #expect(count == 200)
    }
}
