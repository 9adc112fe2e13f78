import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Predicates with the deepest nesting that the language allows; the stack of SQLite's parser has a hundred entries.
struct NestedPredicateTests {
    private let fixture: StoreFixture
    private let employee: Entity

    init() throws {
        fixture = try StoreFixture()
        try fixture.hire(100)
        employee = try #require(fixture.store.model.entity(named: "Employee"))
    }

    private func salaries(_ predicate: ObjectPredicate) throws -> (sql: [Int64], memory: [Int64]) {
        let bound = try predicate.bind(to: employee, in: fixture.store.model)
        return try fixture.store.read { reader in
            let cache = ReadingCache()
            let all = try reader.rows(FetchQuery(entity: employee))
            let fitting = all.filter { bound.evaluate(on: ReadingSubject(row: $0, reader: reader, cache: cache)) }
            let found = try reader.rows(FetchQuery(entity: employee, predicate: predicate))
            return (found.map(salary).sorted(), fitting.map(salary).sorted())
        }
    }

    private func salary(_ row: Row) -> Int64 {
        guard let propertyIndex = employee.propertyIndex(named: "salary"),
            case .integer(let salary) = row.values[propertyIndex]
        else { return -1 }
        return salary
    }

    @Test func andAndOrNestAsDeepAsTheLanguageAllows() throws {
        for isDeepLast in [true, false] {
            var text = "salary == 7"
            for level in 0..<62 {
                let word = level % 2 == 0 ? "OR" : "AND"
                let term = level % 2 == 0 ? "salary == \(level)" : "salary < \(30 + level)"
                text = isDeepLast ? "\(term) \(word) (\(text))" : "(\(text)) \(word) \(term)"
            }
            let (sql, memory) = try salaries(try ObjectPredicate(parsing: text))
            #expect(sql == memory)
            #expect(sql.count > 20 && sql.count < 100)
        }
    }

    @Test func oppositesNest() throws {
        for count in [1, 2, 31, 60] {
            let text = String(repeating: "NOT ", count: count) + "salary < 10"
            let (sql, memory) = try salaries(try ObjectPredicate(parsing: text))
            #expect(sql == memory && sql.count == (count % 2 == 0 ? 10 : 90))
        }
        var mixed = "salary < 10"
        for level in 0..<28 { mixed = "NOT (name == NULL OR salary > \(90 - level) OR \(mixed))" }
        let (sql, memory) = try salaries(try ObjectPredicate(parsing: mixed))
        #expect(sql == memory)
    }

    @Test func sumsAreAsLongAsTheLanguageAllows() throws {
        let sum = "salary" + String(repeating: " + 1", count: 62)
        let (sql, memory) = try salaries(try ObjectPredicate(parsing: "\(sum) > 150"))
        #expect(sql == memory && sql == Array(89..<100))
        let mixed =
            "abs:(\(String(repeating: "abs:(", count: 20))salary - 50\(String(repeating: ")", count: 20)) * 2 - 3)"
        let (found, expected) = try salaries(try ObjectPredicate(parsing: "\(mixed) < 10 AND length:(name) > 0"))
        #expect(found == expected && found.count == 13)
    }

    @Test func randomTreesAnswerAlike() throws {
        var random = SeededGenerator.fromEnvironment()
        for _ in LongProofs.rounds(15) {
            let predicate = tree(depth: Int.random(in: 5...60, using: &random), &random)
            let (sql, memory) = try salaries(predicate)
            #expect(sql == memory, "seed \(random.seed)")
        }
    }

    /// A tree with one branch of the full depth and short other branches.
    private func tree(depth: Int, _ random: inout SeededGenerator) -> ObjectPredicate {
        if depth == 0 {
            let operation = [ObjectPredicate.Operator.less, .equal, .greaterOrEqual].randomElement(using: &random)
            let bound = PropertyValue.integer(Int64.random(in: 0..<100, using: &random))
            return .comparison(.init(.keyPath(["salary"]), operation ?? .equal, .constant(bound)))
        }
        if Int.random(in: 0..<6, using: &random) == 0 { return .not(tree(depth: depth - 1, &random)) }
        var terms = (0..<Int.random(in: 1..<20, using: &random)).map { _ in
            tree(depth: min(depth - 1, Int.random(in: 0..<2, using: &random)), &random)
        }
        terms.insert(tree(depth: depth - 1, &random), at: Int.random(in: 0...terms.count, using: &random))
        return Bool.random(using: &random) ? .and(terms) : .or(terms)
    }

    @Test func manyTermsAreOneTree() throws {
        let terms = (0..<5_000).map { number in
            ObjectPredicate.comparison(
                .init(.keyPath(["salary"]), .equal, .constant(.integer(Int64(number * 3))))
            )
        }
        let (sql, memory) = try salaries(.not(.or(terms)))
        #expect(sql == memory && sql.count == 66)
    }

    @Test func aPredicateThatIsTooMuchForSQLiteIsARefusedQuery() throws {
        var predicate = ObjectPredicate.always(true)
        for level in 0..<300 {
            let term = ObjectPredicate.comparison(.init(.keyPath(["salary"]), .less, .constant(.integer(Int64(level)))))
            predicate = level % 2 == 0 ? .and([predicate, term]) : .or([predicate, term])
        }
        let query = FetchQuery(entity: employee, predicate: predicate)
        try fixture.store.read { reader in
            let error = #expect(throws: StoreError.self) { try reader.count(query) }
            guard case .invalidQuery? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func aPathHasAnEnd() throws {
        let model = try Model(yaml: "version: '1'\nentities: {Person: {relationships: {boss: {to: Person?}}}}")
        let fixture = try StoreFixture(model: model)
        let store = fixture.store
        let entity = try #require(store.model.entity(named: "Person"))
        func count(_ length: Int) throws -> Int {
            let path = Array(repeating: "boss", count: length).joined(separator: ".")
            let predicate = try ObjectPredicate(parsing: "\(path) == NULL")
            return try store.read { try $0.count(FetchQuery(entity: entity, predicate: predicate)) }
        }
        #expect(try count(31) == 0)
        #expect(throws: ObjectPredicateError.self) { try count(32) }
        withExtendedLifetime(fixture.folder) {}
    }
}
