/// Compares the versions of writes for the merge rules.
///
/// The rules work on any token for a version: on whole ``Version`` values, or on the numbers under which a store keeps
/// the versions. A store has to look up the version of a number, which can fail.
///
/// Two writes may have equal versions: parts of one transaction whose index a store leaves out, with one token, and
/// writes of two clones of one store, with two tokens. Of writes of one transaction the one that arrives later wins; of
/// writes of clones the greater value wins. A deletion supersedes no write of a clone with an equal version.
@usableFromInline
package protocol VersionOrder<Stamp> {
    associatedtype Stamp: Equatable

    /// Whether the write at `first` has a lesser version than the write at `second`; false when they are equal.
    func isOlder(_ first: Stamp, than second: Stamp) throws -> Bool

    /// Whether two clones of one writer made the writes, with equal versions; false for writes of one transaction.
    func areOfClones(_ first: Stamp, _ second: Stamp) throws -> Bool

    /// The index of the write in its transaction, as far as it is kept.
    func index(of stamp: Stamp) -> Int
}

extension VersionOrder {
    @inlinable
    package func areOfClones(_ first: Stamp, _ second: Stamp) throws -> Bool { false }

    @inlinable
    package func index(of stamp: Stamp) -> Int { 0 }

    /// Whether a write that arrives after a write of a clone with an equal version takes effect.
    ///
    /// The greater value wins; of equal values the write with the greater index does, on which one-to-one owners depend.
    @inlinable
    package func winsOverClone(
        _ write: Register<Stamp, PropertyValue>,
        at known: Stamp,
        holding value: PropertyValue
    ) -> Bool {
        if value.precedes(write.value) { return true }
        return !write.value.precedes(value) && index(of: write.version) > index(of: known)
    }

    /// The greater of two versions, of which the first may be missing; `second` when they are equal.
    @inlinable
    package func later(_ first: Stamp?, _ second: Stamp) throws -> Stamp {
        guard let first else { return second }
        return try isOlder(second, than: first) ? first : second
    }

    /// Whether a deletion at `deletion`, which arrives later, supersedes the write at `write`.
    ///
    /// It does when the write is older, or belongs to the deletion's own transaction and came before the deletion.
    @inlinable
    package func isSuperseded(_ write: Stamp, by deletion: Stamp) throws -> Bool {
        try write == deletion || isOlder(write, than: deletion)
    }

    /// Whether the write at `write` arrives too late, because the object was deleted at a greater version already.
    @inlinable
    package func isTooLate(_ write: Stamp, after deletion: Stamp?) throws -> Bool {
        guard let deletion else { return false }
        return try isOlder(write, than: deletion)
    }
}
