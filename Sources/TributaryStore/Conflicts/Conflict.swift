package import TributaryChanges

/// A row of the conflict journal: a value that lost against a write that its writer had not seen.
package struct Conflict: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The value of an attribute or of a to-one relationship.
        case value
        /// A link or an unlink, or a position.
        case link
        /// An object that is not shown, with all its values.
        case object
    }

    /// The rule that decided which write wins.
    package enum Rule: String, Sendable, CaseIterable {
        case latest
        case max
        case min
        case deletion
        /// Another object owns the target.
        case oneToOne = "one-to-one"
        /// Another object has the unique key.
        case uniqueness
    }

    package struct Write: Sendable, Hashable {
        package var version: Version
        package var sequence: UInt64
        package var writerName: String?
        /// Nil for a deletion, and for a value that was too long for the journal.
        package var value: JSONValue?
    }

    package var number: Int64
    /// Unix seconds.
    package var foundAt: Double
    package var kind: Kind
    package var rule: Rule
    package var entity: String
    package var id: UniqueID
    package var property: String
    package var losing: Write
    package var winning: Write
    /// The known values of the object that the deletion has removed.
    package var object: JSONValue?
    /// The number of the transaction that restored the value.
    package var restored: Int64?
}

extension Conflict.Rule {
    /// A counter has no conflicts.
    init(_ rule: MergeRule) {
        switch rule {
        case .latest, .counter: self = .latest
        case .max: self = .max
        case .min: self = .min
        }
    }
}

package struct ConflictCounts: Sendable, Hashable {
    package var kept: Int
    /// The conflicts that newer ones have replaced, and those that were only counted.
    package var dropped: Int
}
