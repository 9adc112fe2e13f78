/// An object with a target in a one-to-one register, with the order that decides which owner the target shows.
///
/// Merge statement 13: only visible objects own a target, and the owner with the greatest version wins. Owners with
/// equal versions, from one transaction, are ordered by their identifiers, so that every replica shows the same owner.
/// The greatest element of a set is a commutative, associative and idempotent merge.
package struct OneToOneOwner: Comparable, Hashable, Sendable {
    package let version: Version
    package let id: UniqueID

    package init(version: Version, id: UniqueID) {
        self.version = version
        self.id = id
    }

    package static func < (left: OneToOneOwner, right: OneToOneOwner) -> Bool {
        left.version == right.version ? left.id < right.id : left.version < right.version
    }
}

/// The position of an object in an ordered relationship.
///
/// Merge statement 14: positions are strings of any length that compare by their bytes; objects with equal positions, which
/// concurrent writers create, are ordered by their identifiers.
package struct OrderedPosition: Comparable, Hashable, Sendable {
    package let position: String
    package let id: UniqueID

    package init(position: String, id: UniqueID) {
        self.position = position
        self.id = id
    }

    package static func == (left: OrderedPosition, right: OrderedPosition) -> Bool {
        left.id == right.id && left.position.utf8.elementsEqual(right.position.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        for byte in position.utf8 { hasher.combine(byte) }
    }

    package static func < (left: OrderedPosition, right: OrderedPosition) -> Bool {
        if left.position.precedesByBytes(right.position) { return true }
        if right.position.precedesByBytes(left.position) { return false }
        return left.id < right.id
    }
}
