import TributaryChanges

/// The totals of one counter by writer: what the branches of a forked writer have added adds up.
struct BranchTotals {
    private var totals: [(writer: String, sums: [PropertyValue])] = []

    mutating func append(_ total: PropertyValue, of writer: String) {
        if totals.last?.writer == writer {
            totals[totals.count - 1].sums.append(total)
        } else {
            totals.append((writer, [total]))
        }
    }

    /// The total of each writer, in the order in which the writers came.
    var sums: [(writer: String, sum: PropertyValue)] {
        totals.compactMap { writer, sums in CounterTotals.sum(ofBranches: sums).map { (writer, $0) } }
    }
}
