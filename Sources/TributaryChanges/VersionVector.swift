/// For each writer, the sequence up to which all of its transactions are known.
package struct VersionVector: Hashable, Sendable {
    private var sequences: [UniqueID: UInt64]

    package init(_ sequences: [UniqueID: UInt64] = [:]) {
        self.sequences = sequences.filter { $0.value > 0 }
    }

    /// The sequence of a writer; 0 when none of its transactions is known.
    package subscript(writer: UniqueID) -> UInt64 {
        get { sequences[writer] ?? 0 }
        set { sequences[writer] = newValue > 0 ? newValue : nil }
    }

    package var entries: [UniqueID: UInt64] { sequences }
    package var isEmpty: Bool { sequences.isEmpty }

    /// What follows from the vector: who has anything of a writer has all that it goes on from; O(w).
    ///
    /// - Parameter after: For each writer, the one that it goes on from.
    /// - Returns: what follows; it may be in the vector itself.
    package func implied(by after: [UniqueID: Incarnation.Predecessor]) -> VersionVector {
        var implied = VersionVector()
        for writer in sequences.keys {
            var writer = writer
            while let former = after[writer], former.sequence > implied[former.writer] {
                implied[former.writer] = former.sequence
                writer = former.writer
            }
        }
        return implied
    }
}
