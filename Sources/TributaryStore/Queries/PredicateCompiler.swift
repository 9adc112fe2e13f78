import TributaryChanges
import TributaryModel

/// Negation is `IS NOT 1`: it treats NULL as false, and as a suffix it needs little of SQLite's parser stack.
struct PredicateCompiler {
    var paths: PathCompiler

    /// SQLite allows 32,766 parameters for all lists of a statement; longer lists are packed into one parameter.
    private static let maximumParameters = 64

    init(layout: StoreModel) {
        paths = PathCompiler(layout: layout)
    }

    init(paths: PathCompiler) {
        self.paths = paths
    }

    mutating func condition(_ predicate: BoundPredicate, on row: String) throws -> SQLFragment {
        try condition(predicate, on: [row])
    }

    mutating func condition(_ predicate: BoundPredicate, on rows: [String]) throws -> SQLFragment {
        switch predicate {
        case .always(let answer): return SQLFragment(answer ? "1" : "0")
        case .and(let terms): return .joined(try terms.map { try condition($0, on: rows) }, by: "AND")
        case .or(let terms): return .joined(try terms.map { try condition($0, on: rows) }, by: "OR")
        case .not(.not(let term)): return try condition(term, on: rows)
        case .not(let term): return PredicateCompiler.opposite(try condition(term, on: rows))
        case .nullTest(let operand, let isNull, let quantifier):
            return try quantified(quantifier, operand, on: rows) { value in
                "(" + value + " IS \(isNull ? "" : "NOT ")NULL)"
            }
        case .comparison(let comparison): return try condition(comparison, on: rows)
        }
    }

    private mutating func condition(
        _ comparison: BoundPredicate.Comparison,
        on rows: [String]
    ) throws -> SQLFragment {
        let right = try value(of: comparison.right, on: rows)
        return try quantified(comparison.quantifier, comparison.left, on: rows) { value in
            PredicateCompiler.compare(value, right, comparison)
        }
    }

    private mutating func value(of operand: BoundPredicate.Operand, on rows: [String]) throws -> SQLFragment {
        switch operand {
        case .path(let path):
            return try paths.value(of: path, steps: path.steps[...], from: rows[path.scope], rows: rows)
        case .constant(let value): return SQLFragment("?", [value])
        case .list(let values): return SQLFragment("", values)
        case .function(let function): return try value(of: function, on: rows)
        }
    }

    private mutating func value(of function: BoundFunction, on rows: [String]) throws -> SQLFragment {
        var steps = [function]
        while steps.count < ValueFunctions.maximumSteps, case .function(let inner)? = steps.last?.arguments.first {
            steps.append(inner)
        }
        var result = SQLFragment("\(ValueFunctions.name)(")
        for (place, step) in steps.reversed().enumerated() {
            result = result + (place > 0 ? ", " : "") + "\(ValueFunctions.code(step))"
            for argument in step.arguments.dropFirst(place > 0 ? 1 : 0) {
                result = result + ", " + (try value(of: argument, on: rows))
            }
        }
        return (result + ")").within(5)
    }

    private mutating func quantified(
        _ quantifier: ObjectPredicate.Quantifier,
        _ operand: BoundPredicate.Operand,
        on rows: [String],
        _ condition: (SQLFragment) -> SQLFragment
    ) throws -> SQLFragment {
        guard case .path(let path) = operand, path.isToMany else { return condition(try value(of: operand, on: rows)) }
        let targets = try paths.targets(of: path, rows: rows)
        let value = try paths.value(of: path, steps: targets.rest, from: targets.alias, rows: rows)
        var inner = condition(value)
        if quantifier == .all { inner = PredicateCompiler.opposite(inner) }
        let both = SQLFragment.joined([targets.condition, inner], by: "AND")
        let exists = ("EXISTS (SELECT 1 FROM \(targets.source) WHERE " + both + ")").within(8)
        return quantifier == .all || quantifier == .none ? "(NOT " + exists + ")" : exists
    }

    private static func opposite(_ term: SQLFragment) -> SQLFragment { ("(" + term + " IS NOT 1)").within(1) }

    private static func compare(
        _ left: SQLFragment,
        _ right: SQLFragment,
        _ comparison: BoundPredicate.Comparison
    ) -> SQLFragment {
        let options = StringFunctions.options(comparison.operation, comparison.folding)
        if comparison.operation.isStringOperator {
            return "\(StringFunctions.match)(" + left + ", " + right + ", \(options))"
        }
        var (left, right) = (left, right)
        if !comparison.folding.isEmpty {
            left = "\(StringFunctions.fold)(" + left + ", \(options))"
            right = folded(right, comparison)
        }
        left = left.ordered(as: comparison.kind)
        switch comparison.operation {
        case .isIn: return "(" + left + " IN " + list(right.arguments) + ")"
        case .between: return "(" + left + " BETWEEN ? AND ?)" + SQLFragment("", right.arguments)
        default: return "(" + left + " \(comparison.operation.rawValue) " + right + ")"
        }
    }

    private static func list(_ values: [PropertyValue]) -> SQLFragment {
        guard values.count > maximumParameters else {
            return SQLFragment("(\(Array(repeating: "?", count: values.count).joined(separator: ", ")))", values)
        }
        return SQLFragment("\(ValueListTable.name)(?)", [.binary(PackedValues.pack(values))])
    }

    private static func folded(_ right: SQLFragment, _ comparison: BoundPredicate.Comparison) -> SQLFragment {
        switch comparison.right {
        case .path, .function:
            let options = StringFunctions.options(comparison.operation, comparison.folding)
            return "\(StringFunctions.fold)(" + right + ", \(options))"
        case .constant, .list: return SQLFragment(right.text, right.arguments.map(comparison.folding.fold))
        }
    }
}
