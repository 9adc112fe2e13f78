import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// SQLite and memory return equal dictionary results.
struct DictionaryDifferentialTests {
    @Test func resultsOfSQLAreThoseOfMemory() throws {
        var random = SeededGenerator.printingSeed()
        var (asked, grouped, filled) = (0, 0, 0)
        for _ in 0..<12 {
            let world = try ReadingWorld(random: &random)
            let queries = ReadingQueries(model: world.model)
            try world.store.read { reader in
                let cache = ReadingCache()
                let subjects = world.rows.values.map { ReadingSubject(row: $0, reader: reader, cache: cache) }
                    .sorted { $0.predicateID < $1.predicateID }
                for _ in 0..<600 {
                    let query = query(queries, &random)
                    guard let plan = try? DictionaryPlan(query, model: world.model) else { continue }
                    let entity = query.objects.entity
                    let condition = try query.objects.predicate?.bind(to: entity, in: world.model)
                    let expected = plan.values(
                        of: subjects.filter { subject in
                            let name = subject.row.entity.name
                            let isOne =
                                name == entity.name
                                || query.objects.includesSubentities && subject.row.entity.isKind(of: entity.name)
                            return isOne && condition?.evaluate(on: subject) ?? true
                        }
                    )
                    let found = try reader.values(plan)
                    asked += 1
                    if plan.isGrouped { grouped += 1 }
                    if expected.count > 1 { filled += 1 }
                    #expect(found.map(ValueIdentity.init) == expected.map(ValueIdentity.init), "\(query)")
                    if found.map(ValueIdentity.init) != expected.map(ValueIdentity.init) { return }
                }
            }
        }
        #expect(
            asked > 1_000 && grouped > 300 && filled > 500,
            "\(asked) asked, \(grouped) grouped, \(filled) with results"
        )
    }

    private func query(_ queries: ReadingQueries, _ random: inout SeededGenerator) -> DictionaryQuery {
        let entity = queries.model.entities.randomElement(using: &random) ?? queries.model.entities[0]
        func path() -> String { queries.path(entity, &random).components.joined(separator: ".") }
        let groups = (0..<Int.random(in: 0..<3, using: &random)).map { _ in path() }
        var columns = groups.filter { _ in Bool.random(using: &random) }.map {
            DictionaryQuery.Column(name: $0, keyPath: $0, function: nil)
        }
        let isGrouped = !groups.isEmpty || Bool.random(using: &random)
        for number in 0..<Int.random(in: 1..<4, using: &random) {
            let function = isGrouped ? ObjectPredicate.Aggregate.allCases.randomElement(using: &random) : nil
            let isObject = function == .count && Bool.random(using: &random)
            columns.append(
                DictionaryQuery.Column(name: "c\(number)", keyPath: isObject ? "SELF" : path(), function: function)
            )
        }
        let names = columns.map(\.name) + groups + [path()]
        let keys = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
            SortKey(names.randomElement(using: &random) ?? "c0", ascending: Bool.random(using: &random))
        }
        let isLimited = Int.random(in: 0..<3, using: &random) == 0
        let predicate = Bool.random(using: &random) ? queries.predicate(entity, depth: 1, &random) : nil
        let bound = predicate?.resolvingNow(1_700_000_000_000)
        return DictionaryQuery(
            objects: FetchQuery(
                entity: entity,
                predicate: bound.flatMap { (try? $0.bind(to: entity, in: queries.model)) == nil ? nil : $0 },
                sortKeys: keys,
                limit: isLimited ? Int.random(in: 0..<5, using: &random) : nil,
                offset: isLimited ? Int.random(in: 0..<3, using: &random) : 0,
                includesSubentities: Bool.random(using: &random)
            ),
            columns: columns,
            groupBy: groups,
            having: Int.random(in: 0..<3, using: &random) == 0 ? having(columns.map(\.name), &random) : nil,
            isDistinct: Int.random(in: 0..<3, using: &random) == 0
        )
    }

    private func having(_ names: [String], _ random: inout SeededGenerator) -> ObjectPredicate? {
        func term() -> String {
            let name = names.randomElement(using: &random) ?? "c0"
            let forms = [
                "\(name) > 1", "\(name) != NULL", "NOT \(name) == 0", "\(name) == NULL", "\(name) IN {0, 1, 2}",
                "\(name) BETWEEN {1, 3}", "\(name) + 1 > 2", "\(name) BEGINSWITH[c] 'a'", "length:(\(name)) > 1",
                "\(name) == \(names.first ?? name)", "SELF == NULL", "entity.name == 'Result'",
            ]
            return forms.randomElement(using: &random) ?? "TRUEPREDICATE"
        }
        let word = Bool.random(using: &random) ? "AND" : "OR"
        return try? ObjectPredicate(parsing: Bool.random(using: &random) ? term() : "\(term()) \(word) \(term())")
    }

    @Test func aDeepConditionOnResultsIsEvaluatedInMemory() throws {
        var random = SeededGenerator(seed: 7)
        let world = try ReadingWorld(random: &random)
        let entity = try #require(world.model.entities.first { !$0.isAbstract })
        var having = try ObjectPredicate(parsing: "n >= 0")
        let term = having
        for _ in 0..<100 { having = .or([.and([having, term]), term]) }
        var query = DictionaryQuery(
            objects: FetchQuery(entity: entity, limit: 1),
            columns: [DictionaryQuery.Column(name: "n", keyPath: "SELF", function: .count)]
        )
        let plain = try world.store.read { try $0.values(try DictionaryPlan(query, model: world.model)) }
        query.having = having
        let kept = try world.store.read { try $0.values(try DictionaryPlan(query, model: world.model)) }
        #expect(plain.count == 1 && kept == plain)
    }

    @Test func stringsThatLookAlikeAreTwoGroups() {
        let composed = ValueIdentity([.string("\u{E9}")])
        #expect(composed != ValueIdentity([.string("e\u{301}")]))
        #expect(composed == ValueIdentity([.string("\u{E9}")]))
        #expect(ValueIdentity([.integer(1)]) == ValueIdentity([.double(1)]))
        #expect(ValueIdentity([.integer(1)]).hashValue == ValueIdentity([.double(1)]).hashValue)
        #expect(ValueIdentity([.double(-0.0)]) == ValueIdentity([.double(0)]))
        #expect(ValueIdentity([.null]) == ValueIdentity([.null]))
        #expect(ValueIdentity([.null]) != ValueIdentity([.integer(0)]))
        #expect(ValueIdentity([.decimal("1.5")]) == ValueIdentity([.decimal("1.5")]))
    }
}
