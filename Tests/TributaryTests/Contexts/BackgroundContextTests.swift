import TestSupport
import Testing
import Tributary

/// Order, hand-over and waiting.
struct BackgroundContextTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private final class Draft {
        var name = "Ann"
    }

    @Test func bodiesRunInTheOrderOfTheCalls() async throws {
        let background = container.newBackgroundContext()
        for number in 0..<200 {
            background.enqueue { context in
                (try? context.insert(Employee.self))?.name = "\(number)"
            }
        }
        let names = await background.perform { context in
            context.insertedObjects.compactMap { ($0 as? Employee)?.name }
        }
        #expect(names == (0..<200).map(String.init))
    }

    @Test func aValueCanBeHandedOver() async throws {
        let background = container.newBackgroundContext()
        let draft = Draft()
        let name = try await background.perform(with: draft) { context, draft in
            let employee = try context.hire(draft.name)
            return employee.name
        }
        #expect(name == "Ann")
        background.enqueue(with: Draft()) { context, draft in
            (try? context.insert(Employee.self))?.name = draft.name
        }
        #expect(await background.perform { $0.insertedObjects.count } == 2)
    }

    @Test func errorsKeepTheirType() async throws {
        let background = container.newBackgroundContext()
        do throws(ContextError) {
            try await background.perform { (context) throws(ContextError) in
                try context.insert(entity: "Boat")
                return
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == .unknownEntity("Boat"))
        }
    }

    @Test func aThreadCanWait() async throws {
        let background = container.newBackgroundContext()
        let count = try await onThread {
            background.performAndWait { context in
                _ = try? context.insert(Employee.self)
                return context.insertedObjects.count
            }
        }
        #expect(count == 1)
    }

    @Test func objectsWithoutChangesAreHeldWeakly() async throws {
        let background = container.newBackgroundContext()
        try await background.perform { context in
            for number in 0..<100 { try context.hire("\(number)") }
            #expect(context.registeredObjects.count == 100)
            try context.save()
            #expect(context.registeredObjects.isEmpty)
            let kept = try context.fetch(Employee.self)
            #expect(context.registeredObjects.count == kept.count)
        }
    }

    @Test func aContextTakesOverNewStateBetweenBodies() async throws {
        let background = container.newBackgroundContext()
        let id = try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            let employee = try context.hireAndSave("Ann")
            employee.salary = 1
            return employee.objectID
        }
        try await container.change(id) { $0.name = "Bob" }
        try await background.save { context in
            let employee = try #require(context.object(with: id) as? Employee)
            #expect(employee.name == "Bob" && employee.salary == 1)
        }
    }
}
