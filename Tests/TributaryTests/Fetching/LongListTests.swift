import TestSupport
import Testing
import Tributary

/// `IN` with more values than SQLite takes parameters, 32,766 by default.
struct LongListTests {
    private static let count = 33_000

    private let folder: TemporaryFolder
    private let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("long-list")
        container = try await Company.open(folder)
        try await container.save { context in
            for number in 0..<4 {
                let employee = try context.hire("Ann \(number)")
                employee.salary = Double(number) + 0.5
                employee.visits = number * 30_000
            }
        }
    }

    private static let names = (0..<count).map { "ann \($0 * 2)" }

    @Test func fetchesTakeAnyNumberOfValues() async throws {
        try await container.performBackgroundTask { context in
            for isDirty in [false, true] {
                if isDirty { try context.hire("Ann 9999999") }
                func names(_ predicate: ObjectPredicate) throws -> [String] {
                    let request = FetchRequest("Employee", predicate: predicate, sortKeys: [SortKey("name")])
                    let found = try context.fetch(request, as: Employee.self).map(\.name)
                    #expect(try context.count(for: request) == found.count)
                    return found
                }
                let keys = Employee.keys
                #expect(try names(keys.name.in(Self.names, .caseInsensitive)) == ["Ann 0", "Ann 2"])
                #expect(try names(keys.name.in(Self.names)) == [])
                #expect(
                    try names(keys.visits.in(0..<Self.count))
                        == (isDirty ? ["Ann 0", "Ann 1", "Ann 9999999"] : ["Ann 0", "Ann 1"])
                )
                #expect(
                    try names(keys.salary.in((0..<Self.count).map { Double($0) - 0.5 })) == [
                        "Ann 0", "Ann 1", "Ann 2", "Ann 3",
                    ]
                )
                let text = try ObjectPredicate(
                    parsing: "NOT name IN[c] %@ AND salary != NULL",
                    arguments: [.list(Self.names.map { .string($0) })]
                )
                #expect(try names(text) == ["Ann 1", "Ann 3"])
            }
        }
    }

    @Test func objectsAndBatchesTakeAnyNumberOfValues() async throws {
        let names = Self.names
        try await container.performBackgroundTask { context in
            let all = try context.fetch(Employee.self, sortKeys: [SortKey("name")])
            let ids = all.prefix(2).map(\.objectID.uniqueID)
            let others = (0..<UInt64(Self.count)).map { UniqueID(high: $0, low: 7) }
            let selves = ObjectPredicate.comparison(
                .init(.keyPath([]), .isIn, .list((others + ids).map { .constant(.reference($0)) }))
            )
            let found = try context.fetch(FetchRequest("Employee", predicate: selves), as: Employee.self)
            #expect(Set(found.map(\.objectID)) == Set(all.prefix(2).map(\.objectID)))
        }
        let predicate = Employee.keys.name.in(names, .caseInsensitive)
        let update = BatchUpdateRequest("Employee", predicate: predicate, setting: ["age": .value(.integer(77))])
        #expect(try await container.execute(update).count == 2)
        #expect(try await container.execute(BatchDeleteRequest("Employee", predicate: predicate)).count == 2)
        try await container.performBackgroundTask { context in
            let count = try context.fetch(Employee.self).count
            #expect(count == 2)
        }
    }
}
