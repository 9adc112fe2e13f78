/// The owner of a target in a one-to-one relationship; the target shows the greatest visible owner.
///
/// Merge statement 13: the greatest version wins; equal versions, from a single transaction, are ordered by the
/// identifiers.
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

/// Merge statement 14: concurrent writers create equal positions, and then the identifiers decide.
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
