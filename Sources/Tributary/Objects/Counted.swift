public import TributaryChanges

/// A counter in a typed snapshot: its value, and the value at the time of the snapshot.
///
/// `tributaryctl model generate` writes `@Counted var stock: Int` for a counter. An update of the same object adds the
/// difference of the two values, so it keeps the later increments of others. Counters are equal when their values are
/// equal.
@propertyWrapper
public struct Counted<Value: FieldValue & Sendable & Codable & Hashable>: Sendable, Codable, Hashable {
    /// The value, which a program may change.
    public var wrappedValue: Value
    let taken: Value

    /// Creates the counter of a snapshot that is taken now.
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
        taken = wrappedValue
    }

    /// The counter itself, for ``ManagedObject/set(_:to:of:)``.
    public var projectedValue: Counted { self }

    /// Returns whether both show the same value.
    public static func == (left: Counted, right: Counted) -> Bool { left.wrappedValue == right.wrappedValue }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension ManagedObject {
    /// Sets a counter from a typed snapshot.
    ///
    /// - Parameters:
    ///   - field: the key of the counter.
    ///   - counted: the counter of the snapshot.
    ///   - id: the ID of the snapshot's object. When it is this object, and the object is not new, the counter changes
    ///     by the difference that the program has made in the snapshot; otherwise the value is assigned.
    public func set<Value>(_ field: Field<Value>, to counted: Counted<Value>, of id: ManagedObjectID) {
        let (taken, value) = (counted.taken.fieldValue, counted.wrappedValue.fieldValue)
        // Validation refuses a value that is not a sum with an amount.
        guard isCounting(above: id), taken.isFinite, value.isFinite else { return self[field] = counted.wrappedValue }
        let step = CounterTotals.amount(from: taken, to: value)
        guard !CounterTotals.isZero(step) else { return }
        let propertyIndex = field.propertyIndex(in: descriptor)
        attempt(propertyIndex) { () throws(ContextError) in
            try checkWritable(propertyIndex)
            count(step, propertyIndex)
        }
    }

    /// Whether a snapshot of the object contains the increments of this object.
    func isCounting(above id: ManagedObjectID) -> Bool {
        state != .inserted && uniqueID == id.uniqueID && descriptor.entity.root == id.rootEntity
    }
}
