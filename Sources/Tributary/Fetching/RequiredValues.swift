import TributaryChanges
import TributaryModel

/// Values that every matching object of a request has, for look-ups in an index of unsaved objects.
struct RequiredValues {
    private var known: [(propertyIndex: Int, value: PropertyValue)] = []

    /// Whether no value is required: any object may match the request.
    var isEmpty: Bool { known.isEmpty }

    var propertyIndexes: [Int] { known.map(\.propertyIndex) }

    var values: [PropertyValue] { known.map(\.value) }

    /// Requires a value of a property; the first value of a property counts.
    mutating func require(_ value: PropertyValue, _ propertyIndex: Int) {
        guard !known.contains(where: { $0.propertyIndex == propertyIndex }) else { return }
        known.insert(
            (propertyIndex, value),
            at: known.firstIndex { $0.propertyIndex > propertyIndex } ?? known.endIndex
        )
    }
}
