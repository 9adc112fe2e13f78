/// For each writer, the last sequence up to which all of its transactions are known.
package struct VersionVector: Hashable, Sendable {
    private var sequences: [UniqueID: UInt64]

    package init(_ sequences: [UniqueID: UInt64] = [:]) {
        self.sequences = sequences.filter { $0.value > 0 }
    }

    /// 0 when no transaction of the writer is known.
    package subscript(writer: UniqueID) -> UInt64 {
        get { sequences[writer] ?? 0 }
        set { sequences[writer] = newValue > 0 ? newValue : nil }
    }

    package var entries: [UniqueID: UInt64] { sequences }
    package var isEmpty: Bool { sequences.isEmpty }

    /// A replica that has anything of a writer has everything of that writer's former writers.
    ///
    /// O(w). `after` is the former writer of each writer. The result may repeat entries of the vector.
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
