import TributaryChanges
import TributaryModel

extension Attribute {
    /// The rule by which the store merges the attribute: counters add up only where addition is exact on all machines.
    var effectiveRule: MergeRule {
        let isNumber = type.isInteger || type == .double || type == .float
        return mergeRule == .counter && !isNumber ? .latest : mergeRule
    }
}
