package import TransactionLog
package import TributaryChanges

/// A baseline in the log folder, as its first lines and its end line tell it.
package struct KnownBaseline: Hashable, Sendable {
    package var name: BaselineName
    package var modelHash: String
    /// The last transaction of each writer that it has.
    package var vector: VersionVector
    package var sha256: String
    package var bytes: UInt64

    package init(
        name: BaselineName,
        modelHash: String,
        vector: VersionVector,
        sha256: String,
        bytes: UInt64
    ) {
        self.name = name
        self.modelHash = modelHash
        self.vector = vector
        self.sha256 = sha256
        self.bytes = bytes
    }

    init(name: BaselineName, _ outline: BaselineOutline) {
        self.init(
            name: name,
            modelHash: outline.header.modelHash,
            vector: VersionVector(outline.writers),
            sha256: outline.sha256,
            bytes: outline.bytes
        )
    }

    /// Whether it has all that the other one has.
    func covers(_ other: KnownBaseline) -> Bool { vector.covers(other.vector) }

    /// Whether it has all that the other one has, and more.
    func dominates(_ other: KnownBaseline) -> Bool { vector != other.vector && covers(other) }

    var transactionCount: UInt64 { vector.entries.reduce(0) { $0.addingSaturating($1.value) } }
}

extension VersionVector {
    /// The positions of a baseline.
    init(_ writers: [BaselineWriter]) {
        self.init(Dictionary(writers.map { ($0.id, $0.sequence) }) { first, _ in first })
    }

    /// Whether this vector has all transactions of the other one; O(w).
    func covers(_ other: VersionVector) -> Bool { other.entries.allSatisfy { self[$0.key] >= $0.value } }
}
