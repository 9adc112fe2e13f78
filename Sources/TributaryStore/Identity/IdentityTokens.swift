import TributaryChanges

/// Whether tokens of history stay valid when a store becomes another writer.
package enum IdentityTokens {
    /// Whether the store was restored from a backup and is still the writer of the backup.
    package static func isRestored(_ reader: Reader) throws -> Bool {
        guard let restored = try reader.setting(RestoredStore.setting) else { return false }
        return try reader.setting(IdentityKeys.renewed) != restored
    }

    /// Ends the tokens of a copy, and answers its restoration.
    ///
    /// The numbers after the copy are given again: tokens from before must not be taken for tokens of them.
    package static func renew(for minted: MintedWriter, _ transaction: WriteTransaction) throws {
        try transaction.setSetting(IdentityKeys.tokens, to: minted.new.description)
        try transaction.setSetting(IdentityKeys.renewed, to: transaction.reader.setting(RestoredStore.setting))
    }
}
