public import TributaryChanges

/// A counter in a typed snapshot: its value, and the value at the time of the snapshot.
///
/// `tributaryctl model generate` writes `@Counted var stock: Int` for a counter. An update of the same object adds the
/// difference of the two values, so it keeps the later increments of others. Two values are equal when they show
/// the same.
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

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension ManagedObject {
    /// Sets a counter from a typed snapshot.
    ///
    /// - Parameters:
    ///   - field: the key of the counter.
    ///   - counted: the counter of the snapshot.
    ///   - id: the ID of the object that the snapshot is of. When it is this object, and the object is not new, the
    ///     counter changes by the difference that the program has made in the snapshot; otherwise the value is assigned.
    public func set<Value>(_ field: Field<Value>, to counted: Counted<Value>, of id: ManagedObjectID) {
        let (taken, value) = (counted.taken.fieldValue, counted.wrappedValue.fieldValue)
        // The validation before the save refuses a value that no amount makes.
        guard isCounting(above: id), taken.isFinite, value.isFinite else { return self[field] = counted.wrappedValue }
        let step = CounterTotals.amount(from: taken, to: value)
        guard !CounterTotals.isZero(step) else { return }
        let propertyIndex = field.propertyIndex(in: descriptor)
        attempt(propertyIndex) { () throws(ContextError) in
            try checkWritable(propertyIndex)
            count(step, propertyIndex)
        }
    }

    /// Whether a snapshot of the object tells what this object has counted before.
    func isCounting(above id: ManagedObjectID) -> Bool {
        state != .inserted && uniqueID == id.uniqueID && descriptor.entity.root == id.rootEntity
    }
}
