import TributaryChanges

/// The values of `IN`, sorted for a binary search.
package struct SortedValues: Sendable {
    private let values: [PropertyValue]

    /// Sorts values of one kind; values that equal nothing, such as NaN, are left out.
    init(_ values: [PropertyValue]) {
        self.values = values.filter { $0.compared(to: $0) == 0 }.sorted { ($0.compared(to: $1) ?? 0) < 0 }
    }

    func contains(_ value: PropertyValue) -> Bool {
        var range = 0..<values.count
        while let first = range.first {
            let middle = first + range.count / 2
            guard let order = value.compared(to: values[middle]) else { return false }
            if order == 0 { return true }
            range = order < 0 ? first..<middle : (middle + 1)..<range.upperBound
        }
        return false
    }
}
