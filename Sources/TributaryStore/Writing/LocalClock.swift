import GRDB
import TributaryChanges

/// Gives a local transaction its clock.
///
/// The clock is greater than every one that is applied. Clocks that are too far ahead, and that an administrator has
/// accepted, are set aside: only a transaction that overwrites or outranks what they have written needs a greater one.
/// Whether it does shows while it is merged. So it is merged with a clock greater than all, and then gets the least one
/// with which no comparison of its versions would have had another result. Batches, which compare nothing, keep the
/// greater clock.
struct LocalClock {
    let transaction: WriteTransaction
    let engine: MergeEngine

    /// Sets the final clock, after the changes are merged.
    ///
    /// Without clocks that are set aside it is the one that was drawn. Otherwise a look at the ranks of all one-to-one
    /// owners that show nothing.
    ///
    /// - Throws: ``StoreError`` when the store cannot be written.
    func settle(_ header: inout TransactionHeader) throws {
        guard let met = engine.tables.versions.met else { return }
        let wall = transaction.reader.context.configuration.environment.wallTime()
        let least = max(try transaction.writers().lastClock(), met.greatest).next(at: wall)
        guard least < header.clock else { return }
        header.clock = least
        let update = try BoundStatement(transaction.db, "UPDATE tributary_transaction SET clock = ?2 WHERE number = ?1")
        update.bind(1, met.transaction)
        update.bind(2, Int64(bitPattern: least.rawValue))
        try update.run()
        // Ranks contain clocks; they are drawn again when they are needed.
        try transaction.db.execute(sql: "UPDATE tributary_reference SET rank = NULL WHERE rank IS NOT NULL")
        engine.tables.versions.insert(
            Version(clock: least, writer: try transaction.writers().own),
            origin: WriteOrigin(writer: met.own, sequence: header.sequence),
            of: met.transaction
        )
    }
}
