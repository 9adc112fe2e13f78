/// The state of one property of an object: the winning write with its version.
///
/// State: a version and a value. Merge statements 6 (the greatest version wins), 7 (superseded by the deletion) and 8 (the
/// greatest or the least value wins).
@usableFromInline
package struct Register<Stamp, Value> {
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
    /// Whether a write that arrives after the known state takes effect.
    ///
    /// A counter takes every increment: see ``CounterTotals``.
    ///
    /// `value` is evaluated only for `max` and `min`, and for a write of a clone.
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
            if try order.isOlder(write.version, than: known) { return false }
            guard try order.areOfClones(write.version, known) else { return true }
            return try order.winsOverClone(write, at: known, holding: value())
        case .max, .min: return try known == nil || write.value.replaces(value(), under: self)
        case .counter: return true
        }
    }

    /// Merges the registers that two replicas have of one property, which is no counter.
    ///
    /// Commutative, associative and idempotent. Deletions are merged separately and supersede the result. No store merges
    /// whole registers yet: the function states the law that ``accepts(_:over:holding:after:by:)`` keeps write by write.
    ///
    /// - Returns: the winning register; nil when there is none.
    /// - Throws: what `order` throws.
    package func merge<Order: VersionOrder>(
        _ first: Register<Order.Stamp, PropertyValue>?,
        _ second: Register<Order.Stamp, PropertyValue>?,
        by order: Order
    ) throws -> Register<Order.Stamp, PropertyValue>? {
        guard let first, let second else { return first ?? second }
        switch self {
        case .latest, .counter: break
        case .max, .min:
            if second.value.replaces(first.value, under: self) { return second }
            if first.value.replaces(second.value, under: self) { return first }
        }
        if try order.isOlder(first.version, than: second.version) { return second }
        if try order.isOlder(second.version, than: first.version) { return first }
        return first.value.precedes(second.value) ? second : first
    }
}
