import GRDB
import TributaryChanges

extension WriteTransaction {
    /// Continues the store as another writer.
    ///
    /// The former writer keeps what it has published. Its other transactions become the first ones of the new writer, and
    /// the versions of all that they wrote with them. Numbers of history and answers to repeated requests stay.
    ///
    /// - Throws: ``WriterMintError``, and ``StoreError`` when the store cannot be read or written.
    package func mintWriter(_ mint: WriterMint = WriterMint()) throws -> MintedWriter {
        try applyWaiting()
        forget()
        defer { forget() }
        for record in mint.published { try recordSegment(record, name: nil) }
        forget()
        let minting = try WriterMinting(db, context: reader.context, greatestClock: mint.greatestClock)
        return try minting.run()
    }
}
