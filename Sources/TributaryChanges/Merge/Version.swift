/// The changes of one transaction have one version; the change that is applied later wins.
package struct Version: Hashable, Comparable, Sendable {
    package let clock: HybridClock
    package let writer: UniqueID

    @inlinable
    package init(clock: HybridClock, writer: UniqueID) {
        self.clock = clock
        self.writer = writer
    }

    /// Less than the version of every write.
    package static let none = Version(clock: .zero, writer: UniqueID(high: 0, low: 0))

    @inlinable
    package static func < (left: Version, right: Version) -> Bool {
        left.clock != right.clock ? left.clock < right.clock : left.writer < right.writer
    }
}

/// Compares versions, or their numbers in a store: looking up a number can fail.
///
/// Only writes of one transaction have equal versions: the write that arrives later wins. A deletion supersedes no
/// write with an equal version, because it comes before all other changes of its transaction.
@usableFromInline
package protocol VersionOrder<Stamp> {
    associatedtype Stamp: Equatable

    func isOlder(_ first: Stamp, than second: Stamp) throws -> Bool
}

extension VersionOrder {
    /// The greater version; `second` when `first` is nil or equal.
    @inlinable
    package func later(_ first: Stamp?, _ second: Stamp) throws -> Stamp {
        guard let first else { return second }
        return try isOlder(second, than: first) ? first : second
    }

    @inlinable
    package func isSuperseded(_ write: Stamp, by deletion: Stamp?) throws -> Bool {
        guard let deletion else { return false }
        return try isOlder(write, than: deletion)
    }
}
