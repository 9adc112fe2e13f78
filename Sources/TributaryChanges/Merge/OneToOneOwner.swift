/// An object whose one-to-one register holds a target, in the order that decides which one the target shows.
///
/// Merge rule 13: only visible objects own a target; of several the one with the greatest version does. Owners with equal
/// versions, which only clones of a writer make, are ordered by their identifiers, so that every replica shows the same
/// one. The greatest of a set is a commutative, associative and idempotent merge.
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
