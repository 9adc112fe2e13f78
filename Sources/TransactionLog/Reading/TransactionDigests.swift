package import TributaryChanges

/// The transactions of a segment one after the other, each by the hash of its lines.
package final class TransactionDigests {
    private let lines: SegmentLineReader
    private let writer: UniqueID
    private var isBegun = false

    package init(_ source: some SegmentBytes, _ tail: SegmentTail, writer: UniqueID) {
        lines = SegmentLineReader(source, bounds: 0..<tail.offset)
        self.writer = writer
    }

    /// The next transaction; nil at the end.
    ///
    /// - Throws: ``SegmentError`` when the system cannot read the file, or it is not the one that was verified.
    package func next() throws(SegmentError) -> (sequence: UInt64, digest: SHA256.Digest)? {
        if !isBegun {
            isBegun = true
            guard try lines.next() != nil else { return nil }
        }
        guard let line = try lines.next() else { return nil }
        let header: TransactionHeader
        do throws(JSONError) { header = try TransactionHeader(line: line, writer: writer) } catch {
            throw SegmentError(.changed, file: "\(writer)", line: lines.line, reason: error.reason)
        }
        var hash = SHA256()
        TransactionDigests.add(line, to: &hash)
        for _ in 0..<header.changeCount {
            guard let line = try lines.next() else { return nil }
            TransactionDigests.add(line, to: &hash)
        }
        return (header.sequence, hash.finalize())
    }

    private static func add(_ line: UnsafeBufferPointer<UInt8>, to hash: inout SHA256) {
        hash.update(bufferPointer: UnsafeRawBufferPointer(line))
        withUnsafeBytes(of: UInt8(ascii: "\n")) { hash.update(bufferPointer: $0) }
    }
}

/// Finds the line numbers of transactions in a segment, without reading their changes.
package enum TransactionLines {
    /// Returns the line number, from 1, of each transaction that is found; empty for a file that is no segment.
    package static func find(
        _ sequences: Set<UInt64>,
        in source: some SegmentBytes,
        writer: UniqueID
    ) -> [UInt64: Int] {
        guard let last = sequences.max(), let tail = try? SegmentTail.read(source), tail.offset > 0 else { return [:] }
        let lines = SegmentLineReader(source, bounds: 0..<tail.offset)
        var found: [UInt64: Int] = [:]
        do {
            guard try lines.next() != nil else { return [:] }
            while let line = try lines.next() {
                let header = try TransactionHeader(line: line, writer: writer)
                if sequences.contains(header.sequence) { found[header.sequence] = lines.line }
                guard header.sequence < last else { break }
                for _ in 0..<header.changeCount {
                    guard try lines.next() != nil else { return found }
                }
            }
        } catch {
            // The file was changed or removed meanwhile; the transactions found before are returned.
        }
        return found
    }
}

/// The single writes of a transaction, which tell whether a baseline shows this transaction or another one.
package struct TransactionContent {
    private enum Part: Hashable {
        case inserted(entity: String, UniqueID)
        case deleted(UniqueID)
        case value(UniqueID, PropertyWrite)
        case linked(UniqueID, String, UniqueID, position: String?)
        case unlinked(UniqueID, String, UniqueID)
    }

    private var parts: Set<Part> = []

    /// Reads the lines of a transaction, the first of which is its header; O(n).
    ///
    /// - Throws: ``JSONError`` when a line is no change.
    package init(lines: [UInt8]) throws(JSONError) {
        for line in lines.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let parsed = try ParsedChange.parse(line: Array(line))
            guard let id = parsed.id else { throw JSONError("the key 'id' is missing") }
            parts.formUnion(TransactionContent.parts(of: parsed.change(newID: id)))
        }
    }

    /// Whether the transaction has each write of a change of a baseline, under the names and in the form of the baseline.
    ///
    /// Baselines keep those writes of a transaction that still count, and may name another entity of the object in updates
    /// and links. What a model has renamed since is not found.
    package func has(_ change: Change) -> Bool { parts.isSuperset(of: TransactionContent.parts(of: change)) }

    private static func parts(of change: Change) -> [Part] {
        let id = change.id
        switch change.operation {
        case .insert(let writes): return [.inserted(entity: change.entity, id)] + writes.map { .value(id, $0) }
        case .update(let writes): return writes.map { .value(id, $0) }
        case .delete: return [.deleted(id)]
        case .link(let name, let ids, let positions):
            return ids.enumerated().map { index, target in
                let position = positions.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                return .linked(id, name, target, position: position)
            }
        case .unlink(let name, let ids): return ids.map { .unlinked(id, name, $0) }
        }
    }
}
