package import TributaryChanges

extension WriteTransaction {
    /// Records what is decided about another writer, which becomes known when it is not; nil for nothing.
    package func setState(_ state: WriterState?, of writer: UniqueID) throws {
        let row = try writers().position(of: writer).id
        let update = try BoundStatement(db, "UPDATE tributary_writer SET state = ?2 WHERE id = ?1 AND is_self = 0")
        update.bind(1, row)
        update.bind(2, state?.rawValue)
        try update.run()
    }
}
