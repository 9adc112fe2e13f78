package import TributaryChanges

/// A digest over the canonical merge state, with its version vector: stores with equal digests have equal states.
package struct StoreDigest: Sendable, Hashable {
    package struct Position: Sendable, Hashable {
        package var sequence: UInt64
        package var hash: String?

        package init(sequence: UInt64, hash: String?) {
            self.sequence = sequence
            self.hash = hash
        }
    }

    /// Lower-case hexadecimal SHA-256.
    package var digest: String
    package var vector: [UniqueID: Position]

    package init(digest: String, vector: [UniqueID: Position]) {
        self.digest = digest
        self.vector = vector
    }
}
