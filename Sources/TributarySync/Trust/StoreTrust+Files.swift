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
    func author(_ writer: UniqueID, claiming store: UniqueID?, _ reader: Reader) throws -> Author {
        let record = try reader.writers.record(of: writer)
        return Author(label: record?.store ?? store ?? writer, isClaimed: (record?.sequence ?? 0) == 0)
    }

    func author(of segment: VerifiedSegment, _ reader: Reader) throws -> Author {
        try author(segment.name.writer, claiming: segment.header.incarnation.store, reader)
    }

    /// What keeps a segment from being applied; nil for nothing.
    func refusal(of segment: VerifiedSegment, _ reader: Reader) throws -> UntrustedFile? {
        guard mode == .known else { return nil }
        let text = SignedText.of(segment.name.path, segment.end.sha256)
        return try refusal(author(of: segment, reader).label, segment.end.signature, of: text, reader)
    }

    /// What keeps a baseline from counting; nil for nothing.
    ///
    /// Its bytes are not compared with the signed hash yet, and it may name another store than its own: no key is pinned
    /// for what it says.
    func refusal(of baseline: BaselineSummary, _ name: BaselineName, _ reader: Reader) throws -> UntrustedFile? {
        guard mode == .known else { return nil }
        let claimed = baseline.writers.first { $0.id == name.writer }?.incarnation.store
        let author = try author(name.writer, claiming: claimed, reader)
        return try refusal(author.label, baseline.signature, of: SignedText.of(name.path, baseline.sha256), reader)
    }

    /// What keeps a comparison from counting; nil for nothing.
    func refusal(of comparison: BaselineComparison, _ reader: Reader) throws -> UntrustedFile? {
        guard mode == .known else { return nil }
        let author = try author(comparison.name.writer, claiming: comparison.store, reader)
        return try refusal(author.label, comparison.signature, of: comparison.signedText, reader)
    }

    private func refusal(
        _ store: UniqueID,
        _ signature: Signature?,
        of text: [UInt8],
        _ reader: Reader
    ) throws -> UntrustedFile? {
        guard let signature else { return UntrustedFile(reason: "It is not signed.", store: store) }
        let key = signature.key
        guard signature.isValid(of: text) else {
            let reason = "Its signature is not that of key \(key) for its name and its bytes."
            return UntrustedFile(reason: reason, store: store)
        }
        guard case .untrusted(let reason) = try decide(store, key, reader) else { return nil }
        return UntrustedFile(reason: reason, store: store, key: key, isRevoked: list.isRevoked(key))
    }
}

/// The import's decision about a segment in the SQLite transaction that applies it.
///
/// The decision at the time of reading may be out of date. Meanwhile the key may belong to another store, or the store
/// may have another key. Earlier segments of the same transaction change this, too.
struct Admission {
    private let label: UniqueID
    /// The key to pin; nil for none.
    private let first: PublicKey?
    /// Whether the segment is to be read again instead of being applied.
    let isRefused: Bool

    /// Decides in the reader's state; with `isAccepted` an administrator has accepted the segment, whoever has signed it.
    init(_ segment: VerifiedSegment, by trust: StoreTrust, isAccepted: Bool, _ reader: Reader) throws {
        guard trust.mode == .known else {
            (label, first, isRefused) = (segment.name.writer, nil, false)
            return
        }
        label = try trust.author(of: segment, reader).label
        guard let signature = segment.end.signature else {
            (first, isRefused) = (nil, !isAccepted)
            return
        }
        let text = SignedText.of(segment.name.path, segment.end.sha256)
        switch try trust.decide(label, signature.key, reader) {
        // The signature was verified when the segment was read.
        case .trusted: (first, isRefused) = (nil, false)
        case .first where signature.isValid(of: text): (first, isRefused) = (signature.key, false)
        case .first, .untrusted: (first, isRefused) = (nil, !isAccepted)
        }
    }

    /// Pins the key, when a transaction of the segment is applied.
    func pin(_ transaction: WriteTransaction, at wall: WallTime) throws {
        guard let first else { return }
        try PinnedKeys(transaction.reader).pin(first, to: label, at: wall)
    }
}
