import TributaryChanges

/// The identity of a store that was restored from a backup.
///
/// The writer of the backup may have gone on after it, so the store must not write under that identity.
package struct RestoredIdentity {
    private let store: Store

    package init(_ store: Store) {
        self.store = store
    }

    /// Continues the store as another writer, once for each restoration.
    ///
    /// It must run before anything is exported.
    ///
    /// - Returns: The new writer; nil when there was no restoration, or when the store has become another writer since.
    /// - Throws: ``WriterMintError``, and ``StoreError`` when the store cannot be read or written.
    package func renew() throws -> MintedWriter? {
        guard try store.read(RestoredIdentity.restorationToAnswer) != nil else { return nil }
        return try store.write { transaction in
            guard let restored = try RestoredIdentity.restorationToAnswer(transaction.reader) else { return nil }
            let minted = try transaction.writerChanges.mintWriter()
            try transaction.setSetting(IdentityKeys.renewed, to: restored)
            // The numbers after the backup are given again: tokens from before must not be taken for tokens of them.
            try transaction.setSetting(IdentityKeys.tokens, to: minted.new.description)
            return minted
        }
    }

    /// The time of the last restoration, when the store is still the writer of the backup.
    private static func restorationToAnswer(_ reader: Reader) throws -> String? {
        guard let restored = try reader.setting(RestoredStore.setting) else { return nil }
        return try reader.setting(IdentityKeys.renewed) == restored ? nil : restored
    }
}
