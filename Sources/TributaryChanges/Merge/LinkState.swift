/// The state of a pair of a many-to-many relationship, or of an object's position in an ordered relationship.
///
/// Merge statements 11 (an add/remove register for each pair) and 12 (superseded by a deletion of either end).
@usableFromInline
package struct LinkState<Stamp: Equatable> {
    @usableFromInline package var version: Stamp
    @usableFromInline package var isRemoved: Bool
    /// Nil in a relationship without an order, and while the pair is not linked.
    @usableFromInline package var position: String?

    @inlinable
    package init(version: Stamp, isRemoved: Bool, position: String? = nil) {
        self.version = version
        self.isRemoved = isRemoved
        self.position = position
    }

    @inlinable
    package static func accepts<Order: VersionOrder>(
        _ write: LinkState,
        over known: LinkState?,
        after sourceDeletion: @autoclosure () throws -> Stamp?,
        and targetDeletion: @autoclosure () throws -> Stamp?,
        by order: Order
    ) throws -> Bool where Order.Stamp == Stamp {
        if let known, try order.isOlder(write.version, than: known.version) { return false }
        if try order.isSuperseded(write.version, by: sourceDeletion()) { return false }
        return try !order.isSuperseded(write.version, by: targetDeletion())
    }
}

extension LinkState: Equatable {
    @usableFromInline
    package static func == (left: LinkState, right: LinkState) -> Bool {
        left.version == right.version && left.isRemoved == right.isRemoved && left.hasPosition(of: right)
    }

    @usableFromInline
    package func hasPosition(of other: LinkState) -> Bool {
        (position ?? "").utf8.elementsEqual((other.position ?? "").utf8)
    }
}
extension LinkState: Sendable where Stamp: Sendable {}
