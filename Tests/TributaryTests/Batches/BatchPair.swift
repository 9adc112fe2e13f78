import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// A company in two stores, one written by batches and the other by objects.
final class BatchPair {
    private let pair: StorePair
    private var next: UInt64 = 1

    init(seed: UInt64) async throws {
        pair = try await StorePair { folder in
            try await Company.open(folder, environment: .seeded(seed), merging: MergeOptions())
        }
    }

    func close() async throws { try await pair.close() }

    func step(_ random: inout SeededGenerator) async throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: try await insert(&random)
        case 2: try await update(&random)
        case 3: try await relate(&random)
        case 4: try await delete("Employee", age: Int64.random(in: 0..<4, using: &random))
        default: try await delete("Department", age: nil)
        }
    }

    private func insert(_ random: inout SeededGenerator) async throws {
        let entity = ["Employee", "Foreman", "Department"].randomElement(using: &random) ?? "Employee"
        var rows: [[String: PropertyValue]] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            var row: [String: PropertyValue] = ["_id": .uuid(UniqueID(high: 9, low: next))]
            next += 1
            if entity == "Department" {
                row["title"] = .string("d\(next)")
            } else {
                row["name"] = .string("EE\(next)")
                row["age"] = .integer(Int64.random(in: 0..<4, using: &random))
                row["visits"] = .integer(Int64.random(in: 0..<3, using: &random))
            }
            rows.append(row)
        }
        try await pair.insert(entity, rows)
    }

    private func update(_ random: inout SeededGenerator) async throws {
        let age = Int64.random(in: 0..<4, using: &random)
        let salary = Double(Int.random(in: 0..<3, using: &random))
        let request = BatchUpdateRequest(
            "Employee",
            predicate: try ObjectPredicate(parsing: "age == \(age)"),
            setting: [
                "salary": .value(.double(salary)), "visits": .increment(.integer(age)), "code": .property("name"),
            ]
        )
        try await pair.batch.execute(request)
        try await pair.save { context in
            for employee in try context.fetch(FetchRequest("Employee", where: "age == \(age)"), as: Employee.self) {
                employee.salary = salary
                employee.visits += Int(age)
                employee.code = employee.name
            }
        }
    }

    private func relate(_ random: inout SeededGenerator) async throws {
        let (project, badge) = (UniqueID(high: 9, low: next), UniqueID(high: 9, low: next + 1))
        next += 2
        let chance = Int.random(in: 0..<3, using: &random)
        let body: @Sendable (ManagedObjectContext) throws -> Void = { context in
            let employees = try context.fetch(Employee.self)
            let departments = try context.fetch(Department.self)
            let made = try context.insert(Project.self, id: project)
            for (place, employee) in employees.enumerated() where place % 3 == chance {
                employee.department = departments.isEmpty ? nil : departments[place % departments.count]
                if employee.projects.count < 3 { employee.projects += [made] }
            }
            if let first = employees.first { try context.insert(Badge.self, id: badge).owner = first }
        }
        try await pair.save(inBoth: true, author: "relate", body)
    }

    private func delete(_ entity: String, age: Int64?) async throws {
        let text = age.map { "age == \($0)" }
        try await pair.batch.execute(
            BatchDeleteRequest(entity, predicate: try text.map { try ObjectPredicate(parsing: $0) })
        )
        try await pair.save { context in
            let request = FetchRequest(entity, predicate: try text.map { try ObjectPredicate(parsing: $0) })
            for object in try context.fetch(request) { context.delete(object) }
        }
    }

    func compare() throws {
        let (batch, objects) = (pair.batch, pair.objects)
        let dumps = try pair.dumps()
        #expect(dumps.batch == dumps.objects)
        #expect(try batch.store.digest() == objects.store.digest())
        #expect(try history(batch) == history(objects))
        #expect(try export(batch) == export(objects))
    }

    private func history(_ container: PersistentContainer) throws -> [[String]] {
        try container.fetchHistory().map { transaction in
            var changes: [String: Set<String>] = [:]
            for change in transaction.changes {
                changes["\(change.kind) \(change.objectID)", default: []].formUnion(change.updatedProperties)
            }
            return [transaction.author ?? "-"] + changes.map { "\($0.key) \($0.value.sorted())" }.sorted()
        }
    }

    /// The lines that go out; those of one transaction in any order.
    private func export(_ container: PersistentContainer) throws -> [[String]] {
        try container.store.localTransactions().map { $0.sorted() }
    }
}
