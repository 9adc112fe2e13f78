package import TributaryChanges

/// A write of an imported transaction that has no effect yet.
package struct DeferredWrite: Sendable, Hashable {
    package enum Cause: Sendable, Hashable {
        case model
        /// No transaction has inserted the object.
        case unknownObject
    }

    /// The characters of a value that are read: reports show fewer, and a value may have megabytes.
    package static let valueLimit = 4_096

    package var cause: Cause
    package var writer: UniqueID
    package var sequence: UInt64
    /// The index of the change in its transaction; nil when the store does not know the index.
    package var index: Int?
    package var operation: String
    package var entity: String
    package var object: UniqueID
    package var property: String?
    /// The beginning of the value's JSON text, at most `valueLimit` characters.
    package var value: String?
    package var reason: String
    package var since: WallTime
}
