import TributaryChanges

final class ResultsSection {
    let key: PropertyValue
    let entries: OrderStatisticTree<ResultsEntry>
    var node: OrderStatisticTree<ResultsSection>.Node?
    private var cachedIDs: [ManagedObjectID]?

    init(key: PropertyValue, steps: StepCounter) {
        self.key = key
        entries = OrderStatisticTree(steps: steps)
    }

    /// The section value of the first entry, because equal numbers may have several forms.
    var value: PropertyValue { key.isNull ? .null : entries.first?.keys.first ?? key }

    func dropCachedIDs() { cachedIDs = nil }

    /// The IDs in order; the first call after a change visits all entries.
    var objectIDs: [ManagedObjectID] {
        if let cachedIDs { return cachedIDs }
        var ids: [ManagedObjectID] = []
        ids.reserveCapacity(entries.count)
        entries.forEach { ids.append($0.id) }
        cachedIDs = ids
        return ids
    }
}
