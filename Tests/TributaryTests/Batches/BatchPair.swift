import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import Tributary

/// Two stores that begin alike: one is written by batches, the other by objects.
final class BatchPair {
    private let folders: [TemporaryFolder]
    private let batch: PersistentContainer
    private let objects: PersistentContainer
    private var next: UInt64 = 1

    init(seed: UInt64) async throws {
        folders = [try TemporaryFolder.inMemory("batch"), try TemporaryFolder.inMemory("objects")]
        batch = try await BatchPair.open(folders[0], seed)
        objects = try await BatchPair.open(folders[1], seed)
    }

    private static func open(_ folder: TemporaryFolder, _ seed: UInt64) async throws -> PersistentContainer {
        try await Company.open(folder, environment: .seeded(seed), merging: MergeOptions())
    }

    func close() async throws {
        try await batch.close()
        try await objects.close()
    }

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
        let given = rows
        try await batch.execute(BatchInsertRequest(entity, rows: given))
        try await save { context in
            for row in given {
                guard case .uuid(let id)? = row["_id"] else { continue }
                let object = try context.insert(entity: entity, id: id)
                for (name, value) in row where name != "_id" { try object.setValue(value, forKey: name) }
            }
        }
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
        try await batch.execute(request)
        try await save { context in
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
        try await save(on: batch, author: "relate", body)
        try await save(on: objects, author: "relate", body)
    }

    private func delete(_ entity: String, age: Int64?) async throws {
        let text = age.map { "age == \($0)" }
        try await batch.execute(
            BatchDeleteRequest(entity, predicate: try text.map { try ObjectPredicate(parsing: $0) })
        )
        try await save { context in
            let request = FetchRequest(entity, predicate: try text.map { try ObjectPredicate(parsing: $0) })
            for object in try context.fetch(request) { context.delete(object) }
        }
    }

    private func save(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws {
        // The batches of a container name their context so.
        try await objects.newBackgroundContext(name: "batch").perform { context in
            try body(context)
            try context.save()
        }
    }

    private func save(
        on container: PersistentContainer,
        author: String,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) async throws {
        try await container.newBackgroundContext(name: "batch", author: author).perform { context in
            try body(context)
            try context.save()
        }
    }

    func compare() throws {
        #expect(try text(batch) { try $0.mergeState.dump() } == text(objects) { try $0.mergeState.dump() })
        let digests = try [batch, objects].map { try text($0) { try $0.mergeState.digest().digest } }
        #expect(digests[0] == digests[1])
        #expect(try history(batch) == history(objects))
        #expect(try export(batch) == export(objects))
    }

    private func text(_ container: PersistentContainer, _ body: (Reader) throws -> String) throws -> String {
        try container.store.read(body)
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
        var found: [[String]] = []
        try container.store.read { reader in
            try reader.outbox.localTransactions(of: reader.writers.own().id, from: 0) { transaction in
                let text = String(decoding: transaction.lines, as: UTF8.self)
                found.append(text.split(separator: "\n").map(String.init).sorted())
                return true
            }
        }
        return found
    }
}
