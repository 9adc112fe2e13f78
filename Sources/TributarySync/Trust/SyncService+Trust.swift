import Logging
import TributaryAdmin
package import TributaryChanges
package import TributaryStore

extension SyncService {
    /// Whose files the store takes, and how it signs its own.
    package var trust: StoreTrust { environment.trust }

    /// The key with which the store signs; nil when it signs nothing.
    package var signingKey: SigningKey? { environment.trust.key }

    /// The keys that are trusted or revoked, by store, also when nothing of it has come yet; O(n log n) for n keys.
    package func keys(_ reader: Reader) throws -> [UniqueID: [TrustList.Entry]] {
        let list = environment.trust.list
        let entries = list.completing(list.entries, with: try PinnedKeys(reader).entries())
        return Dictionary(grouping: entries, by: \.store)
    }

    /// The trusted and revoked keys of a store; O(k) for its k keys.
    package func keys(of store: UniqueID) throws -> [TrustList.Entry] {
        let list = environment.trust.list
        let pinned = try environment.store.read { try PinnedKeys($0).entries(of: store) }
        return list.completing(list.entries(of: store), with: pinned)
    }

    /// Trusts a key of a writer's store, or revokes it, and looks again at everything that is not applied.
    ///
    /// What a revoked key has signed stays applied where it is; what is not applied is held. `writer` is one of the
    /// store's writers, or its label. Without a key it is the one with which the store's held files are signed, or for a
    /// revocation all of its keys. About this store itself an administrator decides with a key only, and not about its
    /// present key.
    ///
    /// - Throws: ``SyncError`` `noSuchWriter`, `ownWriter`, `noKey`; ``KeyFileError``; the errors of the store.
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
        // Of several keys an administrator chooses.
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

    /// Has everything read again that is not applied, since other keys are trusted.
    func readAgain() {
        let wall = environment.wall
        state.update { $0.readAllAgain(wall: wall) }
        signals.imports.raise()
    }
}
