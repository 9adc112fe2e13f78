package import TributaryChanges
package import TributaryStore

/// The keys that were trusted at first sight, and the store's own signing keys: settings of the store.
///
/// A key is pinned in the SQLite transaction that applies the first segment with its signature, so a restored store has the
/// keys of its applied segments. The own key is pinned before its first segment is published, so that a store that has lost
/// it still knows it. A pin or a decision costs O(log n + k) for n keys, k of them of the same store.
package struct PinnedKeys {
    package struct Finding: Hashable, Sendable {
        /// Only the own key, which copies of the store may also have, is pinned to further stores.
        package var owner: UniqueID?
        package var keys: [PublicKey] = []
    }

    private static let prefix = "sync.pinned."

    private let settings: SettingTable

    package init(_ reader: Reader) { settings = reader.settings }

    package func finding(_ store: UniqueID, _ key: PublicKey) throws -> Finding {
        Finding(owner: try settings.value(of: PinnedKeys.pin(key))?.store, keys: try keys(of: store))
    }

    package func entries(of store: UniqueID) throws -> [TrustList.Entry] {
        try keys(of: store).compactMap { key in
            var entry = try settings.value(of: PinnedKeys.pin(key))
            entry?.store = store
            return entry
        }
    }

    /// O(n).
    package func entries() throws -> [TrustList.Entry] {
        try settings.texts(beginningWith: PinnedKeys.prefix).compactMap { setting in
            PublicKey(String(setting.key.dropFirst(PinnedKeys.prefix.count)))
                .flatMap { PinnedKeys.pin($0).read(setting.text) }
        }
    }

    /// The reader must belong to a write transaction.
    func pin(_ key: PublicKey, to store: UniqueID, at wall: WallTime) throws {
        let known = try keys(of: store)
        guard !known.contains(key) else { return }
        try settings.set(PinnedKeys.keys(store), to: known + [key])
        guard try settings.value(of: PinnedKeys.pin(key)) == nil else { return }
        let entry = TrustList.Entry(store: store, key: key, state: .trusted, since: wall)
        try settings.set(PinnedKeys.pin(key), to: entry)
    }

    private func keys(of store: UniqueID) throws -> [PublicKey] {
        try settings.value(of: PinnedKeys.keys(store)) ?? []
    }

    private static func pin(_ key: PublicKey) -> Setting<TrustList.Entry> {
        Setting("\(prefix)\(key)") { text in
            let parts = text.split(separator: " ")
            guard parts.count == 2, let store = UniqueID(String(parts[0])), let since = UInt64(parts[1])
            else { return nil }
            return TrustList.Entry(store: store, key: key, state: .trusted, since: WallTime(milliseconds: since))
        } text: {
            "\($0.store) \($0.since.milliseconds)"
        }
    }

    private static func keys(_ store: UniqueID) -> Setting<[PublicKey]> {
        Setting("sync.keys.\(store)") { text in
            text.split(separator: " ").compactMap { PublicKey(String($0)) }
        } text: {
            $0.map(\.description).joined(separator: " ")
        }
    }
}
