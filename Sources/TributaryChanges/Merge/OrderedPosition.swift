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
