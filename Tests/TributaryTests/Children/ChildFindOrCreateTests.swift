import TestSupport
import Testing

@testable import Tributary

/// Fetches by a value and upserts in child contexts, one for each object: what they find above, and which objects they
/// visit there.
struct ChildFindOrCreateTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open(.memory) }

    private static func insert(_ number: Int, in context: ManagedObjectContext) throws {
        let employee = try context.insert(Employee.self)
        (employee.name, employee.visits) = ("n\(number)", number)
    }

    /// Looks for every tenth of so many and for as many that are not there, which it makes; only what it finds is made
    /// an object of the context.
    private static func findOrCreate(_ condition: String, _ count: Int, in context: ManagedObjectContext) throws {
        context.retainsRegisteredObjects = true
        for number in stride(from: 0, to: 2 * count, by: 10) {
            let value = condition.hasPrefix("name") ? PropertyValue.string("n\(number)") : .integer(Int64(number))
            let request = try FetchRequest("Employee", where: condition, [.value(value)])
            let found = try context.fetch(request, as: Employee.self)
            #expect(found.map(\.visits) == (number < count ? [number] : []), "\(condition) \(number)")
            if found.isEmpty { try insert(number, in: context) }
        }
        #expect(context.registry.count == count / 10 * 2, "no object is made that was not found")
        #expect(context.insertedObjects.count == count / 10)
    }

    @Test(arguments: ["name == %@", "visits == %@", "visits == %@ AND name BEGINSWITH 'n'"])
    @MainActor
    func aChildVisitsWhatItLooksForHoweverMuchIsUnsavedAbove(_ condition: String) throws {
        let count = 1_000
        let parent = container.viewContext
        for number in 0..<count { try Self.insert(number, in: parent) }
        try Self.findOrCreate(condition, count, in: parent.newChild())
        let grandchild = parent.newChild().newChild()
        try Self.findOrCreate(condition, count, in: grandchild)
        #expect(parent.pending.list.keys.visited <= 4 * count, "\(parent.pending.list.keys.visited)")
    }

    @Test(arguments: ["name == %@", "visits == %@"])
    func aChildOnItsOwnQueueDoesToo(_ condition: String) async throws {
        let count = 1_000
        let parent = container.newBackgroundContext()
        try await parent.perform { context in
            for number in 0..<count { try Self.insert(number, in: context) }
        }
        try await parent.newChild().perform { context in
            try Self.findOrCreate(condition, count, in: context)
            let source = try #require(context.above as? StagedSource)
            #expect(source.keys.visited == count, "\(source.keys.visited)")
        }
    }

    @Test(arguments: [false, true]) @MainActor
    func theValueCountsThatAnObjectHasAboveNow(byUpsert: Bool) throws {
        let parent = container.viewContext
        let (middle, ann) = (parent.newChild(), try parent.insert(Employee.self))
        let child = middle.newChild()
        func found(_ name: String) throws -> [ManagedObjectID] {
            if byUpsert {
                let employee = try child.upsert(Employee.self, by: ["name": .string(name)])
                guard employee.state == .inserted else { return [employee.objectID] }
                child.delete(employee)
                return []
            }
            var request = try FetchRequest("Employee", where: "name == %@", [.string(name)])
            let ids = try child.fetchIDs(request)
            #expect(try child.count(for: request) == ids.count && child.fetch(request).map(\.objectID) == ids)
            request.fetchLimit = 1
            #expect(try child.fetchIDs(request) == ids)
            return ids
        }
        ann.name = "Ann"
        #expect(try found("Ann") == [ann.objectID])
        ann.name = "Bea"
        #expect(try found("Ann").isEmpty && found("Bea") == [ann.objectID])
        // The context between them hides the value of the one above.
        let between = try #require(middle.object(with: ann.objectID, as: Employee.self))
        between.name = "Cid"
        #expect(try found("Bea").isEmpty && found("Cid") == [ann.objectID])
        middle.rollback()
        #expect(try found("Bea") == [ann.objectID])
        middle.delete(between)
        #expect(try found("Bea").isEmpty)
        middle.rollback()
        try parent.save()
        #expect(try found("Bea") == [ann.objectID])
        ann.name = "Dan"
        #expect(try found("Bea").isEmpty && found("Dan") == [ann.objectID])
        parent.delete(ann)
        #expect(try found("Bea").isEmpty && found("Dan").isEmpty)
        parent.rollback()
        #expect(try found("Bea") == [ann.objectID])
    }

    // MARK: Upsert

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
            let source = try #require(context.above as? StagedSource)
            // Once for the parent's objects, then once for each that a save has handed over.
            #expect(source.keys.visited < 100 + 300 + 50, "\(source.keys.visited)")
        }
        let count = await parent.perform { $0.insertedObjects.count }
        #expect(count == 200)
    }
}
