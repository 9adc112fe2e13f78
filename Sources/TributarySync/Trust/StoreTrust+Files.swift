import TransactionLog
package import TributaryChanges
import TributaryStore

/// What keeps a file from being taken about its signature.
package struct UntrustedFile: Hashable, Sendable {
    /// A sentence.
    package var reason: String
    /// The label of the store that has written it.
    package var store: UniqueID
    /// The key that has signed it; nil when it has no valid signature.
    package var key: PublicKey?
    /// Whether an administrator has revoked the key.
    package var isRevoked = false
}

extension StoreTrust {
    /// Whose a file is, as far as the reader knows.
    struct Author {
        var label: UniqueID
        /// Whether only the file itself says so: nothing of its writer is applied yet.
        var isClaimed: Bool
    }

    /// A writer that is known is the store's that it was at first, whatever a file says later.
    func author(_ writer: UniqueID, claiming store: UniqueID?, in known: Store) throws -> Author {
        let record = try known.read { try $0.writers.record(of: writer) }
        return Author(label: record?.store ?? store ?? writer, isClaimed: (record?.sequence ?? 0) == 0)
    }

    /// What keeps a segment from being applied; nil for nothing.
    ///
    /// - Throws: ``TrustFileError`` when a key that is seen for the first time cannot be kept.
    func refusal(of segment: VerifiedSegment, by author: Author, pins: Bool = true, in store: Store) throws
        -> UntrustedFile?
    {
        let text = SignedText.of(segment.name.path, segment.end.sha256)
        return try refusal(author.label, segment.end.signature, of: text, pins: pins, in: store)
    }

    /// What keeps a baseline from counting; nil for nothing.
    ///
    /// Its bytes are not compared with the signed hash yet, and it may name another store than its own: no key is kept
    /// for what it says.
    func refusal(of baseline: BaselineSummary, _ name: BaselineName, in store: Store) throws -> UntrustedFile? {
        guard mode == .known else { return nil }
        let claimed = baseline.writers.first { $0.id == name.writer }?.incarnation.store
        let author = try author(name.writer, claiming: claimed, in: store)
        let text = SignedText.of(name.path, baseline.sha256)
        return try refusal(author.label, baseline.signature, of: text, pins: false, in: store)
    }

    /// What keeps a comparison from counting; nil for nothing.
    func refusal(of comparison: BaselineComparison, in store: Store) throws -> UntrustedFile? {
        guard mode == .known else { return nil }
        let author = try author(comparison.name.writer, claiming: comparison.store, in: store)
        return try refusal(author.label, comparison.signature, of: comparison.signedText, pins: false, in: store)
    }

    private func refusal(
        _ label: UniqueID,
        _ signature: Signature?,
        of text: [UInt8],
        pins: Bool,
        in store: Store
    ) throws -> UntrustedFile? {
        let wall = store.configuration.environment.wallTime()
        guard let reason = try refusal(label, signature, of: text, pins: pins, at: wall) else { return nil }
        let isValid = signature?.isValid(of: text) ?? false
        let key = isValid ? signature?.key : nil
        let isRevoked = list.entries.contains { $0.key == key && $0.state == .revoked }
        return UntrustedFile(reason: reason, store: label, key: key, isRevoked: isRevoked)
    }
}
