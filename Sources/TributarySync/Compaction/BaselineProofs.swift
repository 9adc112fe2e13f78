import TransactionLog
import TributaryChanges
import TributaryStore

/// Keeps in the store which baselines were read as a whole, so that a start reads no more than their first and last lines.
struct BaselineProofs: Sendable {
    let store: Store
    let state: SyncStateOwner

    private static func name(_ key: String) -> BaselineName? {
        let parts = key.dropFirst(StoreKeys.proved.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let writer = UniqueID(String(parts[0])),
            case .baseline(let sequence) = SegmentFileKind.classify(String(parts[1]), writer: writer)
        else { return nil }
        return BaselineName(writer: writer, sequence: sequence)
    }

    /// The proofs that the store has; O(n) for these.
    static func load(_ reader: Reader) throws -> [BaselineName: BaselineProof] {
        var found: [BaselineName: BaselineProof] = [:]
        for (key, value) in try reader.settings(withPrefix: StoreKeys.proved) {
            guard let name = name(key), let proof = BaselineProof(value) else { continue }
            found[name] = proof
        }
        return found
    }

    /// Writes the proofs that are new, and removes those of files that have changed or are gone; O(n) for the baselines.
    func save(at wall: WallTime) throws {
        let shelf = state.read(\.shelf)
        let proofs = shelf.provedFiles.filter { $0.value.isLasting(at: wall) }
        let new = proofs.filter { shelf.proofs[$0.key] != $0.value }
        let outdated = shelf.proofs.keys.filter { proofs[$0] == nil }
        guard !new.isEmpty || !outdated.isEmpty else { return }
        try store.write { transaction in
            for name in outdated { try transaction.setSetting(StoreKeys.proved + name.path, to: nil) }
            for (name, proof) in new { try transaction.setSetting(StoreKeys.proved + name.path, to: proof.text) }
        }
        state.update { $0.kept(proofs) }
    }
}
