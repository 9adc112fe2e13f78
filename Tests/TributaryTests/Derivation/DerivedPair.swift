import TestSupport
import TributaryStore

@testable import Tributary

/// Teams in two stores, one written by batches and the other by objects.
final class DerivedPair {
    private let pair: StorePair
    private var next: UInt64 = 1
    private var teams: [UniqueID] = []

    init(seed: UInt64) async throws {
        pair = try await StorePair { try await DerivedModel.open($0, seed: seed) }
    }

    func close() async throws { try await pair.close() }

    func dumps() throws -> (batch: String, objects: String) { try pair.dumps() }

    func step(_ random: inout SeededGenerator) async throws {
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: try await insert(&random)
        case 2: try await update(&random)
        case 3: try await move(&random)
        case 4: try await relate(&random)
        default: try await delete(&random)
        }
    }

    private func newID() -> UniqueID {
        next += 1
        return UniqueID(high: 9, low: next)
    }

    private func insert(_ random: inout SeededGenerator) async throws {
        let entity = ["Team", "Member", "Member", "Skill", "Mark"].randomElement(using: &random) ?? "Team"
        var rows: [[String: PropertyValue]] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let id = newID()
            var row: [String: PropertyValue] = ["_id": .uuid(id)]
            switch entity {
            case "Team":
                row["name"] = .string("t\(next)")
                teams.append(id)
            case "Member":
                row["name"] = .string("m\(next)")
                row["pay"] = .double(Double(Int.random(in: 0..<5, using: &random)))
                row["team"] = teams.randomElement(using: &random).map { .reference($0) } ?? .null
            case "Skill": row["points"] = .integer(Int64.random(in: 0..<5, using: &random))
            default: row["weight"] = .integer(Int64.random(in: 0..<5, using: &random))
            }
            rows.append(row)
        }
        try await pair.insert(entity, rows)
    }

    private func update(_ random: inout SeededGenerator) async throws {
        let (entity, key) =
            [("Member", "pay"), ("Skill", "points"), ("Mark", "weight"), ("Team", "name")]
            .randomElement(using: &random) ?? ("Member", "pay")
        let number = Int64.random(in: 0..<5, using: &random)
        let value: PropertyValue =
            switch key {
            case "pay": .double(Double(number))
            case "name": .string("u\(number)")
            default: .integer(number)
            }
        try await pair.batch.execute(BatchUpdateRequest(entity, setting: [key: .value(value)]))
        try await pair.save { context in
            for object in try context.fetch(FetchRequest(entity)) { try object.setValue(value, forKey: key) }
        }
    }

    private func move(_ random: inout SeededGenerator) async throws {
        let target: PropertyValue = teams.randomElement(using: &random).map { .reference($0) } ?? .null
        let text = "pay > \(Int.random(in: 0..<4, using: &random))"
        let predicate = try ObjectPredicate(parsing: text)
        try await pair.batch.execute(
            BatchUpdateRequest("Member", predicate: predicate, setting: ["team": .value(target)])
        )
        try await pair.save { context in
            for member in try context.fetch(FetchRequest("Member", predicate: predicate)) {
                try member.setValue(target, forKey: "team")
            }
        }
    }

    /// Pairs, by objects on both sides: what deletions are to follow.
    private func relate(_ random: inout SeededGenerator) async throws {
        let chance = Int.random(in: 0..<3, using: &random)
        let body: @Sendable (ManagedObjectContext) throws -> Void = { context in
            let skills = try context.fetch(FetchRequest("Skill"))
            let marks = try context.fetch(FetchRequest("Mark"))
            for (place, team) in try context.fetch(FetchRequest("Team")).enumerated() where place % 3 == chance {
                for skill in skills.prefix(3) { try team.link(skill, forKey: "skills") }
                for mark in marks.suffix(2) { try team.link(mark, forKey: "marks") }
            }
        }
        try await pair.save(inBoth: true, body)
    }

    private func delete(_ random: inout SeededGenerator) async throws {
        let entity = ["Team", "Member", "Skill", "Mark"].randomElement(using: &random) ?? "Team"
        var ids = try pair.batch.store.read { reader in
            try reader.ids(FetchQuery(entity: pair.batch.model.entity(named: entity) ?? pair.batch.model.entities[0]))
        }
        ids = ids.filter { _ in Bool.random(using: &random) }
        let given = ids
        teams.removeAll { id in given.contains { $0.uniqueID == id } }
        try await pair.batch.execute(BatchDeleteRequest(objectIDs: given))
        try await pair.save { context in
            for id in given { context.delete(try context.existingObject(with: id)) }
        }
    }
}
