import TributaryChanges

/// The position of each writer, assuming that all planned segments are applied.
struct SupposedPositions {
    private let known: [UniqueID: WriterPosition]
    private var supposed: [UniqueID: WriterPosition] = [:]
    /// The last sequence that some branch of a forked writer has reached.
    private let reaches: [UniqueID: UInt64]

    init(_ known: [UniqueID: WriterPosition], reaches: [UniqueID: UInt64]) {
        self.known = known
        self.reaches = reaches
    }

    /// The last sequence of the writer that is applied in some branch: either branch satisfies a dependency.
    func reach(of writer: UniqueID) -> UInt64 {
        let sequence = self[writer].sequence
        return reaches.isEmpty ? sequence : max(sequence, reaches[writer] ?? 0)
    }

    subscript(writer: UniqueID) -> WriterPosition {
        get { supposed[writer] ?? known[writer] ?? WriterPosition() }
        set { supposed[writer] = newValue }
    }
}
