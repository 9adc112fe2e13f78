import TributaryChanges
import TributaryModel

/// Values that each object has that fulfils a request, so that an index of unsaved objects finds it.
struct RequiredValues {
    /// Properties of which one value is known, in order, with that value.
    private(set) var single: [(slot: Int, value: PropertyValue)] = []
    /// A to-one relationship and the objects of which it leads to one, when they are known.
    private(set) var targets: (slot: Int, values: [PropertyValue])?

    /// Whether nothing is known: any object may fulfil the request.
    var isEmpty: Bool { single.isEmpty && targets == nil }

    /// The properties whose values are known.
    var slots: [Int] { single.map(\.slot) + (targets.map { [$0.slot] } ?? []) }

    /// The object has one of these lists of values in ``slots``.
    var keys: [[PropertyValue]] {
        let values = single.map(\.value)
        return targets.map { $0.values.map { values + [$0] } } ?? [values]
    }

    /// Whether a value is known of the property.
    func isKnown(_ slot: Int) -> Bool { single.contains { $0.slot == slot } || targets?.slot == slot }

    /// A property has a value; of two values of one property the first counts.
    mutating func require(_ value: PropertyValue, _ slot: Int) {
        guard !isKnown(slot) else { return }
        single.insert((slot, value), at: single.firstIndex { $0.slot > slot } ?? single.endIndex)
    }

    /// A to-one relationship leads to one of these objects.
    mutating func require(oneOf ids: [ManagedObjectID], _ slot: Int) {
        guard targets == nil, !isKnown(slot) else { return }
        targets = (slot, ids.map { .reference($0.uniqueID) })
    }
}
