package import TributaryChanges

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
            guard let id = parsed.id else { throw JSONError(offset: 0, reason: "the key 'id' is missing") }
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
