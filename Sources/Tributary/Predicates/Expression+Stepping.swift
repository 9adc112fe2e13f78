import TributaryModel

extension ObjectPredicate.Expression {
    var isPath: Bool {
        switch form {
        case .keyPath, .variable, .variablePath: true
        default: false
        }
    }

    func appending(_ name: String) -> Self {
        switch form {
        case .keyPath(let names): .keyPath(names + [name])
        case .variable(let variable): .variablePath(variable, [name])
        case .variablePath(let variable, let names): .variablePath(variable, names + [name])
        default: self
        }
    }

    /// Whether the expression has no value when `other` has none.
    func isNothing(without other: Self) -> Bool {
        if self == other { return true }
        switch (form, other.form) {
        case (.keyPath(let names), .keyPath(let start)):
            return names.starts(with: start) && names.last?.hasPrefix("@") != true
        case (.variablePath(let variable, let names), .variablePath(let other, let start)):
            return variable == other && names.starts(with: start) && names.last?.hasPrefix("@") != true
        case (.function(_, let arguments), _): return arguments.contains { $0.isNothing(without: other) }
        default: return false
        }
    }
}
