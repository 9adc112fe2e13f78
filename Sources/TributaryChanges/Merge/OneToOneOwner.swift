/// An object whose one-to-one register holds a target, with the order that decides which owner the target shows.
///
/// Merge statement 13: only visible objects own a target; of several owners the one with the greatest version wins.
/// Owners with equal versions, those of one transaction, are ordered by their identifiers, so that every replica shows
/// the same owner. The greatest element of a set is a commutative, associative and idempotent merge.
package struct OneToOneOwner: Comparable, Hashable, Sendable {
    /// The version of the register that holds the target.
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
