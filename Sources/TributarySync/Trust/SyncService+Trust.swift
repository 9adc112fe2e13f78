import Logging
import TributaryAdmin
package import TributaryChanges
package import TributaryStore

extension SyncService {
    package var trust: StoreTrust { environment.trust }

    package var signingKey: SigningKey? { environment.trust.key }

    /// Includes stores without applied transactions; O(n log n) for n keys.
    package func keys(_ reader: Reader) throws -> [UniqueID: [TrustList.Entry]] {
        let list = environment.trust.list
        let entries = list.completing(list.entries, with: try PinnedKeys(reader).entries())
        return Dictionary(grouping: entries, by: \.store)
    }

    /// O(k) for the k keys of the store.
    package func keys(of store: UniqueID) throws -> [TrustList.Entry] {
        let list = environment.trust.list
        let pinned = try environment.store.read { try PinnedKeys($0).entries(of: store) }
        return list.completing(list.entries(of: store), with: pinned)
    }

    /// Trusts or revokes a key of a writer's store; applied files of a revoked key stay applied, other files are held.
    ///
    /// `writer` may be the store's label. Without a key, the key of the store's held files is trusted, or all keys are
    /// revoked.
    package func setTrust(
        _ state: TrustList.State,
        of writer: UniqueID,
        key: PublicKey?,
        by user: String? = nil
    ) async throws {
        let store = environment.store
        let (record, own) = try await store.readAside { reader in
            (try reader.writers.all().first { $0.id == writer || $0.store == writer }, try reader.writers.own())
        }
        let found = self.state.read { $0.planner.signers(of: writer) }
        let label = record?.store ?? found.first?.store ?? writer
        let known = try keys(of: label).map(\.key)
        guard record != nil || !(found.isEmpty && known.isEmpty) || key != nil else {
            throw SyncError.noSuchWriter(writer)
        }
        if label == own.store, key == nil || key == signingKey?.publicKey { throw SyncError.ownWriter(writer) }
        let keys = key.map { [$0] } ?? (state == .revoked && !known.isEmpty ? known : found.compactMap(\.key))
        guard let first = keys.first else { throw SyncError.noKey(writer) }
        // An administrator chooses among several keys.
        guard state == .revoked || keys.allSatisfy({ $0 == first }) else { throw SyncError.severalKeys(writer) }
        try environment.trust.set(state, Array(Set(keys)), of: label, at: environment.wall)
        try await store.writeAsync { try StoreTrust.record($0) }
        environment.logger.warning(
            "key is \(state.rawValue)",
            metadata: [
                "store": "\(label)", "key": "\(keys.map(\.description).joined(separator: " "))",
                "by": "\(user ?? "this program")",
            ]
        )
        readAgain()
        if self.state.read({ $0.pause == nil && $0.lifecycle.phase == .running }) { try await importAll() }
    }

    func readAgain() {
        let wall = environment.wall
        state.update { $0.readAllAgain(wall: wall) }
        signals.imports.raise()
    }
}
