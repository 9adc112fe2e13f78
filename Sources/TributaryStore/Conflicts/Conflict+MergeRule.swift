import TributaryChanges

extension Conflict.Rule {
    /// The rule of a property; a counter has no conflicts.
    init(_ rule: MergeRule) {
        switch rule {
        case .latest, .counter: self = .latest
        case .max: self = .max
        case .min: self = .min
        }
    }
}
