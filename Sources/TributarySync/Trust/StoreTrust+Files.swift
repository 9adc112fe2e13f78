import TransactionLog
package import TributaryChanges
import TributaryStore

package struct UntrustedFile: Hashable, Sendable {
    /// A sentence.
    package var reason: String
    package var store: UniqueID
    package var key: PublicKey?
    package var isRevoked = false
    /// Whether the label names the store that has read the file.
    package var isOwn = false

    /// It follows "if" or "unless".
    var condition: String {
        isOwn
            ? "this store has signed it with a key that it has lost" : "you know its machine and this is its key"
    }
}

extension StoreTrust {
    /// `isRead`: the signature was verified when the segment was read.
    func admission(of segment: VerifiedSegment, isRead: Bool = false, _ reader: Reader) throws -> Admission {
        let (writer, store) = (segment.name.writer, segment.header.incarnation.store)
        let text = SignedText.of(segment.name.path, segment.end.sha256)
        return try admission(writer, claiming: store, segment.end.signature, of: text, isRead: isRead, reader)
    }

    func refusal(of segment: VerifiedSegment, _ reader: Reader) throws -> UntrustedFile? {
        try admission(of: segment, reader).refusal
    }

    /// Pins no key: the bytes are not compared with the signed hash yet, and the baseline may name a foreign store.
    func refusal(of baseline: BaselineSummary, _ name: BaselineName, _ reader: Reader) throws -> UntrustedFile? {
        let claimed = baseline.writers.first { $0.id == name.writer }?.incarnation.store
        let text = SignedText.of(name.path, baseline.sha256)
        return try admission(name.writer, claiming: claimed, baseline.signature, of: text, reader).refusal
    }

    func refusal(of comparison: BaselineComparison, _ reader: Reader) throws -> UntrustedFile? {
        let (writer, store) = (comparison.name.writer, comparison.store)
        return try admission(writer, claiming: store, comparison.signature, of: comparison.signedText, reader).refusal
    }

    private func admission(
        _ writer: UniqueID,
        claiming claimed: UniqueID?,
        _ signature: Signature?,
        of text: [UInt8],
        isRead: Bool = false,
        _ reader: Reader
    ) throws -> Admission {
        guard mode == .known else { return Admission(store: writer) }
        let record = try reader.writers.record(of: writer)
        // A known writer stays with its first store. A later file cannot change that.
        let store = record?.store ?? claimed ?? writer
        var admission = Admission(store: store, isClaimed: (record?.sequence ?? 0) == 0)
        func refused(_ reason: String, key: PublicKey? = nil) throws -> Admission {
            let (isRevoked, isOwn) = (key.map(list.isRevoked) ?? false, try isOwn(store, reader))
            admission.refusal = UntrustedFile(
                reason: reason,
                store: store,
                key: key,
                isRevoked: isRevoked,
                isOwn: isOwn
            )
            return admission
        }
        guard let signature else { return try refused("It is not signed.") }
        let key = signature.key
        let decision = try decide(store, key, reader)
        guard isRead && decision == .trusted || signature.isValid(of: text) else {
            return try refused("Its signature does not match key \(key), its name and its bytes.")
        }
        switch decision {
        case .trusted: break
        case .first: admission.first = key
        case .untrusted(let reason): return try refused(reason, key: key)
        }
        return admission
    }
}

/// The import decides again in the SQLite transaction that applies a segment, because keys may change until then.
struct Admission {
    var store: UniqueID
    /// Only the file itself names the store: no transaction of its writer is applied yet.
    var isClaimed = false
    /// The key to pin when the file is a segment and is applied.
    var first: PublicKey?
    var refusal: UntrustedFile?

    func pin(_ transaction: WriteTransaction, at wall: WallTime) throws {
        guard let first else { return }
        try PinnedKeys(transaction.reader).pin(first, to: store, at: wall)
    }
}
