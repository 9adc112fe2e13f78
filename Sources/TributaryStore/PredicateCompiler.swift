import TributaryChanges
import TributaryModel

/// Turns a bound predicate into a condition in SQL that gives the answer which it gives in memory.
///
/// A comparison with nothing is NULL in SQL, which counts as false wherever it is not negated; under a NOT it is made
/// false first.
struct PredicateCompiler {
    var paths: PathCompiler

    init(layout: StoreModel) {
        paths = PathCompiler(layout: layout)
    }

    /// The condition on the row under the alias `row`.
    mutating func condition(_ predicate: BoundPredicate, on row: String) throws -> SQLFragment {
        switch predicate {
        case .always(let answer): return SQLFragment(answer ? "1" : "0")
        case .and(let terms): return .joined(try terms.map { try condition($0, on: row) }, by: "AND")
        case .or(let terms): return .joined(try terms.map { try condition($0, on: row) }, by: "OR")
        case .not(let term): return "NOT ifnull(" + (try condition(term, on: row)) + ", 0)"
        case .nullTest(let path, let isNull, let quantifier):
            return try quantified(quantifier, path, on: row) { value in
                SQLFragment("\(value) IS \(isNull ? "" : "NOT ")NULL")
            }
        case .comparison(let comparison): return try condition(comparison, on: row)
        }
    }

    private mutating func condition(
        _ comparison: BoundPredicate.Comparison,
        on row: String
    ) throws -> SQLFragment {
        let right: SQLFragment
        switch comparison.right {
        case .path(let path): right = SQLFragment(try paths.value(of: path, steps: path.steps[...], from: row))
        case .constant(let value): right = SQLFragment("?", [value])
        case .list(let values):
            right = SQLFragment(
                "(" + Array(repeating: "?", count: values.count).joined(separator: ", ") + ")",
                values
            )
        }
        switch comparison.left {
        case .path(let path):
            return try quantified(comparison.quantifier, path, on: row) { value in
                PredicateCompiler.compare(SQLFragment(value), right, kind: path.kind, comparison)
            }
        case .constant(let value):
            return PredicateCompiler.compare(SQLFragment("?", [value]), right, kind: .string, comparison)
        case .list: return SQLFragment("0")
        }
    }

    /// The condition for the value of a path, or for those at the end of a to-many path.
    private mutating func quantified(
        _ quantifier: ObjectPredicate.Quantifier,
        _ path: BoundPath,
        on row: String,
        _ condition: (String) -> SQLFragment
    ) throws -> SQLFragment {
        guard path.isToMany else {
            return condition(try paths.value(of: path, steps: path.steps[...], from: row))
        }
        let targets = try paths.targets(of: path, from: row)
        let value = try paths.value(of: path, steps: targets.rest, from: targets.alias)
        var inner = condition(value)
        if quantifier == .all { inner = "NOT ifnull(" + inner + ", 0)" }
        let way =
            "EXISTS (SELECT 1 FROM \(targets.tables.joined(separator: " CROSS JOIN ")) "
            + "WHERE \(targets.conditions.joined(separator: " AND ")) AND "
        let isNegated = quantifier == .all || quantifier == .none
        return (isNegated ? "NOT " : "") + (way + inner + ")")
    }

    // MARK: Comparing two values

    private static func compare(
        _ left: SQLFragment,
        _ right: SQLFragment,
        kind: ValueKind,
        _ comparison: BoundPredicate.Comparison
    ) -> SQLFragment {
        let options = StringFunctions.options(
            comparison.operation,
            caseInsensitive: comparison.isCaseInsensitive,
            diacriticInsensitive: comparison.isDiacriticInsensitive
        )
        if comparison.operation.isStringOperator {
            return "\(StringFunctions.match)(" + left + ", " + right + ", \(options))"
        }
        var (left, right) = (left, right)
        if comparison.isCaseInsensitive || comparison.isDiacriticInsensitive {
            left = "\(StringFunctions.fold)(" + left + ", \(options))"
            right = folded(right, comparison)
        }
        if kind == .decimal { left = left + " COLLATE \(StringFunctions.decimalOrder)" }
        switch comparison.operation {
        case .isIn: return "(" + left + " IN " + right + ")"
        case .between: return "(" + left + " BETWEEN ? AND ?)" + SQLFragment("", right.arguments)
        default: return "(" + left + " \(comparison.operation.rawValue) " + right + ")"
        }
    }

    /// The right side with constants folded here and paths folded by SQLite.
    private static func folded(_ right: SQLFragment, _ comparison: BoundPredicate.Comparison) -> SQLFragment {
        if case .path = comparison.right {
            let options = StringFunctions.options(
                comparison.operation,
                caseInsensitive: comparison.isCaseInsensitive,
                diacriticInsensitive: comparison.isDiacriticInsensitive
            )
            return "\(StringFunctions.fold)(" + right + ", \(options))"
        }
        let values = right.arguments.map { value -> PropertyValue in
            guard let text = value.text else { return value }
            return .string(
                StringFolding.fold(
                    text,
                    caseInsensitive: comparison.isCaseInsensitive,
                    diacriticInsensitive: comparison.isDiacriticInsensitive
                )
            )
        }
        return SQLFragment(right.text, values)
    }
}
