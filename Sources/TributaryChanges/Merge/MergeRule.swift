/// The merge rule of a property: how concurrent writes to it are combined.
///
/// An attribute's user info names the rule under the key `tributary.merge`.
public enum MergeRule: String, Sendable, CaseIterable {
    /// The write with the greatest version wins.
    case latest
    /// The greatest value ever written wins.
    case max
    /// The least value ever written wins.
    case min
    /// The increments of all writers add up.
    case counter

    /// The key in a property's user info.
    public static let userInfoKey = "tributary.merge"

    /// Whether versions decide which write wins; then a deletion of the object supersedes the earlier writes.
    ///
    /// Otherwise the result would depend on the order of arrival, since other rules keep no versions of values.
    @inlinable
    package var comparesVersions: Bool {
        switch self {
        case .latest: true
        case .max, .min, .counter: false
        }
    }

    @inlinable
    package var isBound: Bool {
        switch self {
        case .max, .min: true
        case .latest, .counter: false
        }
    }

    /// A counter takes every increment; `value` is evaluated only for `max` and `min`.
    @inlinable
    package func accepts<Order: VersionOrder, Value: MergeValue>(
        _ write: Register<Order.Stamp, Value>,
        over known: Order.Stamp?,
        holding value: @autoclosure () throws -> Value,
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

/// A property's winning write: merge statements 6 (greatest version), 7 (superseded by deletion) and 8 (extreme value).
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

@usableFromInline
package protocol MergeValue {
    /// Whether this value wins against `other` under `max` or `min`; false for other rules.
    func replaces(_ other: Self, under rule: MergeRule) -> Bool
}

extension PropertyValue: MergeValue {
    @usableFromInline
    package func replaces(_ other: PropertyValue, under rule: MergeRule) -> Bool {
        if isNull || other.isNull { return !isNull && other.isNull }
        return switch rule {
        case .max: other.precedes(self)
        case .min: precedes(other)
        case .latest, .counter: false
        }
    }

    /// A strict total order of values that is equal on every machine; NaN comes first.
    ///
    /// Values of different kinds compare by their kind. Values that are equal or do not compare are ordered by their
    /// bytes in the log: −0.0, the integer 0, 0.0; `.binary` before `.blob`.
    @usableFromInline
    package func precedes(_ other: PropertyValue) -> Bool {
        if mergeKind != other.mergeKind { return mergeKind < other.mergeKind }
        if isNaN || other.isNaN { return isNaN && !other.isNaN }
        if let order = compared(to: other), order != 0 { return order < 0 }
        return json.canonicalBytes.lexicographicallyPrecedes(other.json.canonicalBytes)
    }

    private var isNaN: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .date(let value): value.secondsSinceReferenceDate.isNaN
        default: false
        }
    }

    private var mergeKind: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer, .double: 2
        case .decimal: 3
        case .date: 4
        case .string, .uri: 5
        case .uuid: 6
        case .reference: 7
        case .binary, .blob: 8
        case .composite: 9
        }
    }
}
