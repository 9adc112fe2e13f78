import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// SQLite and memory return equal results for each predicate.
struct ReadingDifferentialTests {
    @Test func predicatesAnswerInSQLAsInMemory() throws {
        var random = SeededGenerator.printingSeed()
        var bound = 0
        var selective = 0
        var lengths = 0
        var empties = 0
        for _ in LongProofs.rounds(10) {
            let world = try ReadingWorld(random: &random)
            let queries = ReadingQueries(model: world.model)
            let relationships = world.model.entities.flatMap(\.properties).compactMap(\.relationship)
            let toMany = Set(relationships.filter(\.isToMany).map(\.name))
            try world.store.read { reader in
                let cache = ReadingCache()
                let subjects = world.rows.values.map { ReadingSubject(row: $0, reader: reader, cache: cache) }
                let goal = bound + 550
                while bound < goal {
                    guard let entity = world.model.entities.randomElement(using: &random) else { continue }
                    let predicate = queries.predicate(entity, depth: 2, &random)
                    guard let condition = try? predicate.bind(to: entity, in: world.model) else { continue }
                    bound += 1
                    let text = predicate.description
                    if text.contains(".length ") { lengths += 1 }
                    if toMany.contains(where: { text.contains("\($0) == NULL") || text.contains("\($0) != NULL") }) {
                        empties += 1
                    }
                    let includesSubentities = Bool.random(using: &random)
                    let query = FetchQuery(
                        entity: entity,
                        predicate: predicate,
                        includesSubentities: includesSubentities
                    )
                    let expected = subjects.filter { subject in
                        let name = subject.row.entity.name
                        let isOne =
                            name == entity.name || includesSubentities && subject.row.entity.isKind(of: entity.name)
                        return isOne && condition.evaluate(on: subject)
                    }.map(\.predicateID).sorted()
                    let found = try reader.ids(query).map(\.uniqueID)
                    #expect(found == expected, "\(entity.name) WHERE \(predicate)")
                    #expect(try reader.count(query) == expected.count)
                    if !expected.isEmpty { selective += 1 }
                    if found != expected { return }
                }
            }
        }
        #expect(bound > 5_000 && selective > 1_000, "\(bound) predicates could be bound, \(selective) found something")
        #expect(lengths > 100 && empties > 100, "\(lengths) ask for lengths, \(empties) whether there is anything")
    }

    @Test func sortingIsTheSameAndLimitsCutIt() throws {
        var random = SeededGenerator.printingSeed()
        let world = try ReadingWorld(random: &random)
        let queries = ReadingQueries(model: world.model)
        var sorted = 0
        try world.store.read { reader in
            let cache = ReadingCache()
            for _ in 0..<500 {
                guard let entity = world.model.entities.randomElement(using: &random) else { continue }
                let keys = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    SortKey(
                        queries.path(entity, &random).components.joined(separator: "."),
                        ascending: Bool.random(using: &random)
                    )
                }
                guard let bound = try? keys.map({ try $0.bind(to: entity, in: world.model) }) else { continue }
                sorted += 1
                let all = world.rows.values.filter { $0.entity.isKind(of: entity.name) }
                    .map { ReadingSubject(row: $0, reader: reader, cache: cache) }
                let expected = all.sorted { left, right in
                    for key in bound {
                        let order = key.order(left, right)
                        if order != 0 { return order < 0 }
                    }
                    return left.predicateID < right.predicateID
                }.map(\.predicateID)
                var query = FetchQuery(entity: entity, sortKeys: keys)
                let found = try reader.ids(query).map(\.uniqueID)
                #expect(found == expected, "\(entity.name) by \(keys)")
                query.limit = Int.random(in: 0..<8, using: &random)
                query.offset = Int.random(in: 0..<8, using: &random)
                let slice = Array(expected.dropFirst(query.offset).prefix(query.limit ?? 0))
                let part = try reader.rows(query).map(\.id.uniqueID)
                #expect(part == slice)
                let count = try reader.count(query)
                #expect(count == slice.count)
            }
        }
        #expect(sorted > 100)
    }
}
