import TestSupport
import Testing
import Tributary
import TributaryStore

/// Changes in the terms of the log, as the admin interface takes them.
struct ApplyTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private let ann = UniqueID(high: 1, low: 1)
    private let lab = UniqueID(high: 1, low: 2)

    init() async throws { (folder, container) = try await Company.open() }

    private func insertion(_ id: UniqueID, _ name: String) -> ConditionalChange {
        ConditionalChange(
            Change(entity: "Employee", id: id, operation: .insert([PropertyWrite(name: "name", value: .string(name))]))
        )
    }

    private func update(_ id: UniqueID, _ name: String, _ value: JSONValue, ifVersion: Int64? = nil)
        -> ConditionalChange
    {
        ConditionalChange(
            Change(entity: "Employee", id: id, operation: .update([PropertyWrite(name: name, value: value)])),
            ifVersion: ifVersion
        )
    }

    private func refusal(
        of changes: [ConditionalChange],
        _ location: SourceLocation = #_sourceLocation
    ) async -> ChangeError? {
        await #expect(throws: ChangeError.self, sourceLocation: location) {
            try await container.performBackgroundTask { _ = try $0.apply(changes) }
        }
    }

    @Test func changesAreMadeInOrder() async throws {
        let department = ConditionalChange(Change(entity: "Department", id: lab, operation: .insert([])))
        let changes = [
            insertion(ann, "Ann"), department, update(ann, "department", .string(lab.description)),
            update(ann, "visits", .object([JSONMember(key: "increment", value: .integer(3))])),
        ]
        try await container.performBackgroundTask { context in
            let ids = try context.apply(changes)
            #expect(ids.map(\.uniqueID) == [ann, lab, ann, ann])
            try context.save()
            let employee = try context.existingObject(with: ids[0], as: Employee.self)
            #expect(employee.department?.uniqueID == lab && employee.visits == 3)
        }
    }

    @Test func errorsNameTheChange() async throws {
        let cases: [(ConditionalChange, ChangeError.Reason)] = [
            (ConditionalChange(Change(entity: "Boat", id: lab, operation: .delete)), .unknownEntity("Boat")),
            (update(ann, "wings", .integer(2)), .unknownProperty(entity: "Employee", property: "wings")),
            (
                update(ann, "age", .string("old")),
                .refusedValue(
                    entity: "Employee",
                    property: "age",
                    reason: """
                        'Employee.age' is of type Integer 16, which "old" does not fit: \
                        write an integer from -32768 to 32767
                        """
                )
            ),
        ]
        let first = insertion(ann, "Ann")
        for (change, reason) in cases {
            let error = await refusal(of: [first, change])
            #expect(error == ChangeError(index: 1, reason: reason))
        }
    }

    @Test func versionsAndIDsAreConflicts() async throws {
        let (id, version) = try await container.performBackgroundTask { context in
            let ids = try context.apply([insertion(ann, "Ann")])
            try context.save()
            return (ids[0], try #require(context.lastSaveToken).number)
        }
        let repeated = await refusal(of: [insertion(ann, "Bob")])
        #expect(repeated == ChangeError(index: 0, reason: .duplicateID(id)))
        let newer = try await container.performBackgroundTask { context in
            _ = try context.apply([update(ann, "name", .string("Bob"), ifVersion: version)])
            try context.save()
            return try #require(context.lastSaveToken).number
        }
        let moved = await refusal(of: [update(ann, "name", .string("Cid"), ifVersion: version)])
        #expect(moved == ChangeError(index: 0, reason: .versionMoved(id, expected: version, found: newer)))
    }

    @Test func aRepeatedRequestReturnsItsFirstResponse() async throws {
        let number = try await container.performBackgroundTask { context in
            _ = try context.apply([insertion(ann, "Ann")], idempotencyKey: "k")
            try context.save()
            return try #require(context.lastSaveToken).number
        }
        await #expect(throws: RepeatedRequest(number: number, detail: ann.description)) {
            try await container.save { _ = try $0.apply([insertion(lab, "Bob")], idempotencyKey: "k") }
        }
    }

    @Test func failuresNameTheChangeTheyCameWith() async throws {
        let empty = ConditionalChange(Change(entity: "Employee", id: lab, operation: .insert([])))
        let error = await #expect(throws: ValidationError.self) {
            try await container.save { _ = try $0.apply([insertion(ann, "Ann"), empty]) }
        }
        #expect(error?.failures.map(\.changeIndex) == [1])
    }
}
