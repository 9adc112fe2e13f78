import Foundation
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

/// Predicates built by code that nest deeper than any stack.
@Suite struct DeepPredicateTests {
    private let model: Model
    private let employee: Entity
    private static let level = ObjectPredicate.comparison(
        .init(.keyPath(["level"]), .greater, .constant(.integer(1)))
    )

    init() throws {
        model = try Model(yaml: PredicateModel.text)
        employee = try #require(model.entity(named: "Employee"))
    }

    private static let levels: [@Sendable (ObjectPredicate, Int) -> ObjectPredicate] = [
        { term, _ in !term },
        { term, number in number % 2 == 0 ? level && term : level || term },
        { term, number in number % 2 == 0 ? term && level : term || level },
        { term, _ in .and([term]) },
        { term, _ in
            let subquery = ObjectPredicate.Subquery(.keyPath(["projects"]), variable: "x", where: term)
            return .comparison(.init(.subquery(subquery), .greater, .constant(.integer(0))))
        },
    ]

    private static let expressions: [@Sendable (ObjectPredicate.Expression) -> ObjectPredicate.Expression] = [
        { .function(.add, [$0, .constant(.integer(1))]) },
        { .function(.absolute, [$0]) },
        { .list([$0]) },
    ]

    private func deep(_ wrap: (ObjectPredicate, Int) -> ObjectPredicate, _ count: Int) -> ObjectPredicate {
        (0..<count).reduce(Self.level) { wrap($0, $1) }
    }

    private func check(_ first: ObjectPredicate, _ second: ObjectPredicate) {
        let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try first.bind(to: employee, in: model)
        }
        #expect(error?.reason.contains("400 deep") == true && error?.reason.contains("this one nests ") == true)
        #expect(first == second && first.hashValue == second.hashValue && first != Self.level)
        #expect(first.description.contains("levels"))
        #expect(first.substituting(["x": 1]) == first && first.resolvingNow(1_000) == first)
    }

    @Test(arguments: levels.indices)
    func aTreeThatIsTooDeepIsAnError(kind: Int) {
        let wrap = Self.levels[kind]
        check(deep(wrap, 20_000), deep(wrap, 20_000))
    }

    @Test(arguments: expressions.indices)
    func anExpressionThatIsTooDeepIsAnError(kind: Int) {
        func predicate() -> ObjectPredicate {
            let path = ObjectPredicate.Expression.keyPath(["level"])
            let expression = (0..<20_000).reduce(path) { inner, _ in Self.expressions[kind](inner) }
            return .comparison(.init(expression, .equal, .constant(.integer(1))))
        }
        check(predicate(), predicate())
    }

    /// A predicate of the greatest depth can be used on a small stack.
    @Test(arguments: levels.indices)
    func aTreeOfTheGreatestDepthIsUsable(kind: Int) async throws {
        let wrap = Self.levels[kind]
        var count = 0
        var predicate = Self.level
        while true {
            let next = wrap(predicate, count)
            if case .tooDeep = next.form { break }
            predicate = next
            count += 1
        }
        #expect(count >= 190)
        let (tree, again) = (predicate, deep(wrap, count))
        let (model, employee) = (model, employee)
        let project = try #require(model.entity(named: "Project"))
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let thread = Thread {
                continuation.resume(
                    with: Result {
                        // A nested subquery needs a to-many relationship of projects to projects, which the model does
                        // not have.
                        guard let bound = try? tree.bind(to: employee, in: model) else {
                            #expect(kind == 4)
                            return
                        }
                        let object = SampleObject(employee, id: 1, ["level": .integer(2)])
                        object.link("projects", SampleObject(project, id: 2))
                        _ = bound.evaluate(on: object)
                        #expect(tree == again && tree.hashValue == again.hashValue)
                        #expect(tree.description == again.description && tree.description.count > 190)
                        #expect(tree.substituting([:]).resolvingNow(0) == again)
                    }
                )
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
    }

    @Test func aTextOfThatDepthIsRefusedWhereItIsRead() {
        var text = "level"
        for count in (1..<60).reversed() { text = "(\(text))\(String(repeating: "+1", count: count))" }
        #expect(throws: ObjectPredicateError.self) { try ObjectPredicate(parsing: "\(text) > 0") }
    }
}
