package import TributaryChanges
package import TributaryStore

/// The keys that were trusted at first sight: settings of the store.
///
/// A key is pinned in the SQLite transaction that applies the first segment with its signature. So a segment that is
/// never applied pins nothing, and a store that is set back to a backup has the keys of its applied segments. Each key
/// has a setting, and each store one with its keys: a decision and a pin cost O(log n) for n keys, and O(k) for the k
/// keys of the same store.
package struct PinnedKeys {
    /// The pins that matter for a store and a key.
    package struct Finding: Hashable, Sendable {
        /// The store to which the key is pinned.
        package var owner: UniqueID?
        /// All keys that are pinned to the store.
        package var keys: [PublicKey] = []

        package init(owner: UniqueID? = nil, keys: [PublicKey] = []) { (self.owner, self.keys) = (owner, keys) }
    }

    private struct Pin {
        var store: UniqueID
        var since: WallTime
    }

    private static let prefix = "sync.pinned."

    private let settings: SettingTable

    package init(_ reader: Reader) { settings = reader.settings }

    package func finding(_ store: UniqueID, _ key: PublicKey) throws -> Finding {
        Finding(owner: try settings.value(of: PinnedKeys.pin(key))?.store, keys: try keys(of: store))
    }

    package func entries(of store: UniqueID) throws -> [TrustList.Entry] {
        try keys(of: store).compactMap { key in
            try settings.value(of: PinnedKeys.pin(key)).map { PinnedKeys.entry(key, $0) }
        }
    }

    /// All of them, in the order of the keys; O(n).
    package func entries() throws -> [TrustList.Entry] {
        try settings.texts(beginningWith: PinnedKeys.prefix).compactMap { setting in
            guard let key = PublicKey(String(setting.key.dropFirst(PinnedKeys.prefix.count))) else { return nil }
            return PinnedKeys.pin(key).read(setting.text).map { PinnedKeys.entry(key, $0) }
        }
    }

    /// Pins a key that no store has yet; the reader must belong to a write transaction.
    func pin(_ key: PublicKey, to store: UniqueID, at wall: WallTime) throws {
        try settings.set(PinnedKeys.pin(key), to: Pin(store: store, since: wall))
        try settings.set(PinnedKeys.keys(store), to: keys(of: store) + [key])
    }

    private func keys(of store: UniqueID) throws -> [PublicKey] {
        try settings.value(of: PinnedKeys.keys(store)) ?? []
    }

    private static func entry(_ key: PublicKey, _ pin: Pin) -> TrustList.Entry {
        TrustList.Entry(store: pin.store, key: key, state: .trusted, since: pin.since)
    }

    private static func pin(_ key: PublicKey) -> Setting<Pin> {
        Setting("\(prefix)\(key)") { text in
            let parts = text.split(separator: " ")
            guard parts.count == 2, let store = UniqueID(String(parts[0])), let since = UInt64(parts[1])
            else { return nil }
            return Pin(store: store, since: WallTime(milliseconds: since))
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
