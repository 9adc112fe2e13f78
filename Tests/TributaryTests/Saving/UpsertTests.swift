import TestSupport
import Testing

@testable import Tributary

/// Upsert in one body: what it finds among unsaved objects, and how many of them it visits.
struct UpsertTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test func eachUnsavedObjectIsVisitedAFewTimesHoweverManyThereAre() async throws {
        let count = 2_000
        try await container.newBackgroundContext().perform { context in
            for round in 0..<2 {
                for number in 0..<count {
                    let employee = try context.upsert(Employee.self, by: ["code": .string("A\(number)")])
                    employee.name = "\(round)"
                    employee.salary = Double(number)
                }
            }
            #expect(context.insertedObjects.count == count)
            // Taken in when it comes and when its key is set; compared when it is found.
            #expect(context.pending.list.keys.visited <= 4 * count, "\(context.pending.list.keys.visited)")
        }
    }

    @Test func theKeyCountsThatAnObjectHasNow() async throws {
        try await container.newBackgroundContext().perform { context in
            func upsert(_ code: String) throws -> Employee {
                try context.upsert(Employee.self, by: ["code": .string(code)])
            }
            let ann = try upsert("AA1")
            ann.name = "Ann"
            #expect(try upsert("AA1") === ann)
            ann.code = "BB1"
            #expect(try upsert("BB1") === ann)
            let bob = try upsert("AA1")
            #expect(bob !== ann)
            bob.name = "Bob"
            context.delete(bob)
            let other = try upsert("AA1")
            #expect(other !== bob)
            other.name = "Other"
            try context.save()
            #expect(try upsert("BB1") === ann)
            // A saved object that has changed since stands for its row.
            ann.code = "CC1"
            #expect(try upsert("BB1") !== ann)
            #expect(try upsert("CC1") === ann)
            context.rollback()
            #expect(try upsert("BB1") === ann)
            #expect(context.insertedObjects.isEmpty)
            ann.code = "DD1"
            context.refresh(ann, mergeChanges: false)
            #expect(try upsert("BB1") === ann)
        }
    }

    @Test func undoAndSeveralKeysAreFollowed() async throws {
        try await container.newBackgroundContext().perform { context in
            context.undoStack = UndoStack()
            let foreman = try context.upsert(Foreman.self, by: ["name": .string("Ann"), "age": .integer(20)])
            context.processPendingChanges()
            context.undoStack?.endEvent()
            foreman.age = 21
            #expect(try context.upsert(Employee.self, by: ["name": .string("Ann"), "age": .integer(21)]) === foreman)
            context.undo()
            #expect(try context.upsert(Employee.self, by: ["name": .string("Ann"), "age": .integer(20)]) === foreman)
            #expect(try context.upsert(Employee.self, by: ["name": .string("Ann")]) === foreman)
            context.undoStack = nil
            foreman.name = "Bob"
            #expect(try context.upsert(Employee.self, by: ["name": .string("Bob")]) === foreman)
        }
    }

    @Test func theFirstOfSeveralIsFound() async throws {
        try await container.newBackgroundContext().perform { context in
            let employees = try (0..<100).map { _ in try context.insert(Employee.self) }
            for employee in employees.reversed() { employee.code = "AA1" }
            #expect(try context.upsert(Employee.self, by: ["code": .string("AA1")]) === employees[0])
            context.delete(employees[0])
            #expect(try context.upsert(Employee.self, by: ["code": .string("AA1")]) === employees[1])
        }
    }

    @Test func ofUnknownPropertiesTheErrorNamesTheFirst() async {
        await container.newBackgroundContext().perform { context in
            let key = Dictionary(uniqueKeysWithValues: (0..<9).map { ("wings\($0)", PropertyValue.integer(2)) })
            #expect(throws: ContextError.unknownProperty(entity: "Employee", property: "wings0")) {
                try context.upsert(Employee.self, by: key)
            }
        }
    }

    // MARK: Identity

    @Test func theIdentifierFollowsFromTheKeyUntilALiveObjectHasIt() async throws {
        let expected = try #require(UniqueID(entity: "Employee", key: ["code": .string("AA1")]))
        try await container.newBackgroundContext().perform { context in
            func upsert() throws -> Employee {
                try context.upsert(Employee.self, identity: .key, by: ["code": .string("AA1")])
            }
            let ann = try upsert()
            #expect(ann.objectID.uniqueID == expected && ann.code == "AA1")
            ann.name = "Ann"
            #expect(try upsert() === ann)
            try context.save()
            #expect(try upsert() === ann)
            // The object has got another key since: it stays what it is.
            ann.code = "BB1"
            let other = try upsert()
            #expect(other !== ann && other.objectID.uniqueID != expected)
            context.delete(other)
            try context.save()
            #expect(try upsert().objectID.uniqueID != expected)
            context.rollback()
            context.delete(ann)
            try context.save()
            let again = try upsert()
            #expect(again.objectID.uniqueID == expected)
            again.name = "Again"
            try context.save()
            let count = try context.count(for: FetchRequest<Employee>())
            #expect(count == 1)
        }
    }

    @Test func anObjectThatWasSavedElsewhereSinceTheUpsertIsRefusedUntilItIsUpsertedAgain() async throws {
        let (here, elsewhere) = (container.newBackgroundContext(), container.newBackgroundContext())
        @Sendable func upsert(in context: ManagedObjectContext) throws -> Employee {
            try context.upsert(Employee.self, identity: .key, by: ["code": .string("AA1")])
        }
        try await here.perform { try upsert(in: $0).name = "Here" }
        try await elsewhere.save { try upsert(in: $0).name = "Elsewhere" }
        try await here.save { context in
            let ann = try #require(context.insertedObjects.first)
            #expect(throws: ContextError.duplicateID(ann.objectID)) { try context.save() }
            context.rollback()
            let again = try upsert(in: context)
            #expect(again.objectID == ann.objectID && again.name == "Elsewhere")
            again.name = "Here"
        }
        #expect(try await container.newBackgroundContext().perform { try upsert(in: $0).name } == "Here")
    }

    @Test func twoMachinesThatUpsertOneKeyHaveOneObject() async throws {
        let (otherFolder, other) = try await Company.open()
        for (container, name) in [(container, "Ann"), (other, "Anna")] {
            try await container.save { context in
                try context.upsert(Employee.self, identity: .key, by: ["code": .string("AA1")]).name = name
            }
        }
        try ReplicaExchange.send(from: container.store, to: other.store)
        try ReplicaExchange.send(from: other.store, to: container.store)
        var shown: [[String]] = []
        for container in [container, other] {
            shown.append(
                try await container.newBackgroundContext().perform { context in
                    try context.fetch(FetchRequest<Employee>()).map { "\($0.objectID.uniqueID) \($0.name)" }
                }
            )
        }
        #expect(shown[0].count == 1 && shown[0] == shown[1])
        try await other.close()
        withExtendedLifetime(otherFolder) {}
    }

    @Test func aKeyThatHasNoSingleTextIsRefused() async throws {
        await container.newBackgroundContext().perform { context in
            #expect(throws: ContextError.self) {
                _ = try context.upsert(
                    Employee.self,
                    identity: .key,
                    by: ["name": .string("Ann"), "salary": .double(1)]
                )
            }
            #expect(throws: ContextError.self) {
                _ = try context.upsert(Employee.self, identity: .key, by: ["name": .null])
            }
            #expect(context.insertedObjects.isEmpty)
        }
    }

    @Test func rowsOfABatchAreIdentifiedByTheirKey() async throws {
        let expected = try #require(UniqueID(entity: "Employee", key: ["code": .string("AA1")]))
        try await container.newBackgroundContext(mergePolicy: .objectTrump).perform { context in
            var request = BatchInsertRequest(
                "Employee",
                rows: ["Ann", "Bob"].map { ["code": .string("AA1"), "name": .string($0)] }
            )
            request.identity = ["code"]
            request.resultKind = .objectIDs
            let result = try context.execute(request)
            #expect(result.objectIDs.map(\.uniqueID) == [expected, expected])
            request = BatchInsertRequest("Employee", rows: [["name": .string("Cid")]])
            request.identity = ["code"]
            #expect(throws: BatchError.self) { _ = try context.execute(request) }
            #expect(try context.fetch(FetchRequest<Employee>()).map(\.name) == ["Bob"])
            // The object has got another key since: it stays what it is.
            let bob = try #require(try context.fetch(FetchRequest<Employee>()).first)
            bob.code = "BB1"
            try context.save()
            request = BatchInsertRequest("Employee", rows: [["code": .string("AA1"), "name": .string("Cid")]])
            request.identity = ["code"]
            #expect(try context.execute(request).count == 1)
            #expect(try Set(context.fetch(FetchRequest<Employee>()).map(\.name)) == ["Bob", "Cid"])
        }
    }
}
