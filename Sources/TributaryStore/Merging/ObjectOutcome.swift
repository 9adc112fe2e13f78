import TributaryChanges

/// The operations of one transaction on one object, without those that later ones of it replace.
///
/// A store that applies a transaction before it knows of a clone merges the operations one after the other, and ends
/// with their outcome. Where a clone's writes with equal versions are known already, only the outcome may meet them.
struct ObjectOutcome {
    struct Step {
        enum Action: Equatable {
            case delete
            case insert(shape: Int)
            case update
        }

        /// The index of the change in its transaction.
        var index: Int
        var action: Action
        var writes: [RegisterWrite]
    }

    private let rules: (Int) -> MergeRule
    private var all: [Step] = []

    init(layout: StoreModel, table: Int) {
        rules = { layout.tables[table].columns[$0].mergeRule }
    }

    mutating func append(_ step: Step) { all.append(step) }

    /// The operations that have an effect, in order.
    ///
    /// Counters take each increment, and a greatest or least value stands whatever comes later. Of other values the last
    /// one stands, unless a deletion comes after it; of insertions the last one, and of deletions.
    var steps: [Step] {
        guard all.count > 1 else { return all }
        var later: Set<Int> = []
        var (isDeleted, isInserted) = (false, false)
        var found: [Step] = []
        for step in all.reversed() {
            var step = step
            if step.action == .delete {
                if !isDeleted { found.append(step) }
                isDeleted = true
                continue
            }
            step.writes = step.writes.filter { write in
                guard rules(write.column) == .latest else { return true }
                return !isDeleted && !later.contains(write.column)
            }
            for write in step.writes { later.insert(write.column) }
            if case .insert = step.action {
                if isDeleted || isInserted { step.action = .update }
                isInserted = true
            }
            found.append(step)
        }
        return found.reversed()
    }
}
