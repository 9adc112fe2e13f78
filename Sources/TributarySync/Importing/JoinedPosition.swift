import TributaryChanges
import TributaryStore

/// The last transaction of a writer that the store has from a baseline, without a record of its segment.
struct JoinedPosition: Hashable, Sendable {
    /// 0 for none.
    var sequence: UInt64 = 0
    /// The hash of the segment that ends with it; nil when it is not known.
    var hash: String?

    init(sequence: UInt64, hash: String?) { (self.sequence, self.hash) = (sequence, hash) }

    init(of writer: UniqueID, _ reader: Reader) throws {
        guard let text = try reader.setting(StoreKeys.joined(writer)) else { return }
        let parts = text.split(separator: " ", maxSplits: 1)
        sequence = parts.first.flatMap { UInt64($0) } ?? 0
        hash = parts.count > 1 ? String(parts[1]) : nil
    }

    var text: String { hash.map { "\(sequence) \($0)" } ?? "\(sequence)" }

    /// Whether a segment is certainly other content than what the baseline has: it ends with the same transaction.
    func contradicts(_ last: UInt64, _ sha256: String) -> Bool {
        guard let hash, sequence == last, sequence > 0 else { return false }
        return hash != sha256
    }
}
