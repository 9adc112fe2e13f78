import TributaryChanges
import TributaryModel

/// Values that every matching object of a request has, for look-ups in an index of unsaved objects.
struct RequiredValues {
    /// The properties with a required value, in order.
    private var known: [(slot: Int, value: PropertyValue)] = []

    /// Whether no value is required: any object may match the request.
    var isEmpty: Bool { known.isEmpty }

    /// The slots of the properties with a required value.
    var slots: [Int] { known.map(\.slot) }

    /// The required values of ``slots``.
    var values: [PropertyValue] { known.map(\.value) }

    /// Requires a value of a property; the first value of a property counts.
    mutating func require(_ value: PropertyValue, _ slot: Int) {
        guard !known.contains(where: { $0.slot == slot }) else { return }
        known.insert((slot, value), at: known.firstIndex { $0.slot > slot } ?? known.endIndex)
    }
}
