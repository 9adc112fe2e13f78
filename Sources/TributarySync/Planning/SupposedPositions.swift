import TributaryChanges

/// The position of each writer, assuming that all planned segments are applied.
struct SupposedPositions {
    private let known: [UniqueID: WriterPosition]
    private var supposed: [UniqueID: WriterPosition] = [:]

    init(_ known: [UniqueID: WriterPosition]) {
        self.known = known
    }

    subscript(writer: UniqueID) -> WriterPosition {
        get { supposed[writer] ?? known[writer] ?? WriterPosition() }
        set { supposed[writer] = newValue }
    }
}
