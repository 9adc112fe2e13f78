import TributaryChanges

/// Where each writer would be if what has been planned so far went well.
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
