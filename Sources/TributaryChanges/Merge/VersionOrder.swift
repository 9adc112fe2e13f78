/// Compares the versions of writes for the merge rules.
///
/// The rules work on any token that stands for a version: on whole ``Version`` values, or on the numbers under which a
/// store keeps them and whose versions it has to look up, which can fail.
///
/// Two writes may have equal versions: parts of one transaction whose index a store leaves out, which have one stamp, and
/// writes of two clones of one store, which have two. Where the rules are told of writes one after the other, the one told
/// later then stands; where two states are merged, the greater value does. A deletion supersedes no write of a clone with
/// an equal version.
@usableFromInline
package protocol VersionOrder<Stamp> {
    /// What stands for a version.
    associatedtype Stamp: Equatable

    /// Whether the write at `first` has a lesser version than the write at `second`; false when they are equal.
    func isOlder(_ first: Stamp, than second: Stamp) throws -> Bool
}

extension VersionOrder {
    /// The greater of two versions, of which the first may be missing; `second` when they are equal.
    @inlinable
    package func later(_ first: Stamp?, _ second: Stamp) throws -> Stamp {
        guard let first else { return second }
        return try isOlder(second, than: first) ? first : second
    }

    /// Whether a deletion at `deletion`, which is told of later, supersedes the write at `write`.
    ///
    /// It does when the write is older, or a part of the deletion's own transaction that came before the deletion.
    @inlinable
    package func isSuperseded(_ write: Stamp, by deletion: Stamp) throws -> Bool {
        try write == deletion || isOlder(write, than: deletion)
    }

    /// Whether a write at `write` comes too late, because the object was deleted at a greater version already.
    @inlinable
    package func isTooLate(_ write: Stamp, after deletion: Stamp?) throws -> Bool {
        guard let deletion else { return false }
        return try isOlder(write, than: deletion)
    }
}
