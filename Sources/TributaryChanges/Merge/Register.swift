/// The state of one property of an object: the write that counts, with its version.
///
/// State: a version and a value. Merge rules 6 (the greatest version stands), 7 (superseded by the deletion) and 8 (the
/// greatest or the least value stands).
@usableFromInline
package struct Register<Stamp, Value> {
    /// The version of the write.
    @usableFromInline package var version: Stamp
    @usableFromInline package var value: Value

    @inlinable
    package init(version: Stamp, value: Value) {
        self.version = version
        self.value = value
    }
}

extension Register: Equatable where Stamp: Equatable, Value: Equatable {}
extension Register: Sendable where Stamp: Sendable, Value: Sendable {}

extension MergeRule {
    /// Whether a write stands that is told of after the state that is known.
    ///
    /// A counter takes every increment: see ``CounterTotals``.
    ///
    /// - Parameters:
    ///   - write: The write with its version.
    ///   - known: The version of the register's write so far; nil when nothing that counts was written.
    ///   - value: The register's value so far; asked for only by `max` and `min`.
    ///   - deletion: The object's greatest deletion; nil when it was never deleted.
    ///   - order: Compares the versions.
    /// - Returns: whether the write stands.
    /// - Throws: what `value` and `order` throw.
    @inlinable
    package func accepts<Order: VersionOrder>(
        _ write: Register<Order.Stamp, PropertyValue>,
        over known: Order.Stamp?,
        holding value: @autoclosure () throws -> PropertyValue,
        after deletion: Order.Stamp?,
        by order: Order
    ) throws -> Bool {
        switch self {
        case .latest:
            if try order.isTooLate(write.version, after: deletion) { return false }
            guard let known else { return true }
            return try !order.isOlder(write.version, than: known)
        case .max, .min: return try known == nil || write.value.replaces(value(), under: self)
        case .counter: return true
        }
    }

    /// Merges the registers that two replicas have of one property, which is no counter.
    ///
    /// Commutative, associative and idempotent. Deletions are merged on their own and supersede the result. A baseline and
    /// the store that joins it are such replicas.
    ///
    /// - Returns: the register that counts; nil when there is none.
    /// - Throws: what `order` throws.
    package func merge<Order: VersionOrder>(
        _ first: Register<Order.Stamp, PropertyValue>?,
        _ second: Register<Order.Stamp, PropertyValue>?,
        by order: Order
    ) throws -> Register<Order.Stamp, PropertyValue>? {
        guard let first, let second else { return first ?? second }
        if self == .max || self == .min {
            if second.value.replaces(first.value, under: self) { return second }
            if first.value.replaces(second.value, under: self) { return first }
        }
        if try order.isOlder(first.version, than: second.version) { return second }
        if try order.isOlder(second.version, than: first.version) { return first }
        return first.value.precedes(second.value) ? second : first
    }
}
