/// For each writer the highest sequence that is known without a hole before it.
package struct VersionVector: Hashable, Sendable {
    private var sequences: [UniqueID: UInt64]

    package init(_ sequences: [UniqueID: UInt64] = [:]) {
        self.sequences = sequences.filter { $0.value > 0 }
    }

    /// 0 for a writer of whom nothing is known.
    package subscript(writer: UniqueID) -> UInt64 {
        get { sequences[writer] ?? 0 }
        set { sequences[writer] = newValue > 0 ? newValue : nil }
    }

    package var entries: [UniqueID: UInt64] { sequences }
    package var isEmpty: Bool { sequences.isEmpty }

    /// Whether everything that `other` knows is known here.
    package func covers(_ other: VersionVector) -> Bool {
        other.sequences.allSatisfy { self[$0.key] >= $0.value }
    }

    /// Takes the greater sequence of each writer.
    package mutating func formUnion(_ other: VersionVector) {
        sequences.merge(other.sequences, uniquingKeysWith: max)
    }
}
