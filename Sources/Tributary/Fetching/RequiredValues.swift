import TributaryChanges
import TributaryModel

/// Values that each object has that fulfils a request, so that an index of unsaved objects finds it.
struct RequiredValues {
    /// Properties of which the value is known, in order, with that value.
    private var known: [(slot: Int, value: PropertyValue)] = []

    /// Whether nothing is known: any object may fulfil the request.
    var isEmpty: Bool { known.isEmpty }

    /// The properties whose values are known.
    var slots: [Int] { known.map(\.slot) }

    /// The values that the object has in ``slots``.
    var values: [PropertyValue] { known.map(\.value) }

    /// A property has a value; of two values of one property the first counts.
    mutating func require(_ value: PropertyValue, _ slot: Int) {
        guard !known.contains(where: { $0.slot == slot }) else { return }
        known.insert((slot, value), at: known.firstIndex { $0.slot > slot } ?? known.endIndex)
    }
}
