/// Compares the versions of writes for the merge rules.
///
/// The rules work on any token for a version: on whole ``Version`` values, or on the numbers under which a store keeps
/// the versions. A store has to look up the version of a number, which can fail.
///
/// Two writes may have equal versions: parts of one transaction whose index a store leaves out, with one token, and
/// writes of two clones of one store, with two tokens. When writes arrive one after the other, the later one wins; when
/// two states are merged, the greater value wins. A deletion supersedes no write of a clone with an equal version.
@usableFromInline
package protocol VersionOrder<Stamp> {
    /// The token for a version.
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
