/// The state of one property of an object: the winning write with its version.
///
/// State: a version and a value. Merge statements 6 (the greatest version wins), 7 (superseded by the deletion) and 8
/// (the greatest or the least value wins).
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
    /// `value` is evaluated only for `max` and `min`.
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
            if try order.isSuperseded(write.version, by: deletion) { return false }
            guard let known else { return true }
            return try !order.isOlder(write.version, than: known)
        case .max, .min: return try known == nil || write.value.replaces(value(), under: self)
        case .counter: return true
        }
    }
}
