import TributaryChanges
import TributaryModel

extension Attribute {
    /// The rule that the store merges by: counters add up only where addition is exact on all machines.
    var effectiveRule: MergeRule {
        let isNumber = type.isInteger || type == .double || type == .float
        return mergeRule == .counter && !isNumber ? .latest : mergeRule
    }
}
