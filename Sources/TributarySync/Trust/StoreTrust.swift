import Foundation
import Glibc
package import Logging
import Synchronization
package import TransactionLog
package import TributaryChanges
package import TributaryStore

/// The single owner of the files `<store>-key` and `<store>-trust`: the store's own key, and the keys that it trusts.
///
/// The files lie beside the store, so that a backup has no private key, and a restored store forgets no revocation.
package final class StoreTrust: Sendable {
    private struct State {
        var list = TrustList()
        var settings = TrustSettings()
    }

    package let key: SigningKey?
    /// Nil when the list is only in memory.
    private let path: String?
    private let state: Mutex<State>

    private static let listBytes = 32 << 20

    package init() {
        (key, path) = (nil, nil)
        state = Mutex(State())
    }

    /// Opens the files of a store, and creates a missing key; throws when others may read the key or write the list.
    ///
    /// A missing end line is added, unless the store has on record that its list has an end line.
    package init(of store: Store, logger: Logger = Logger(label: "trust") { _ in SwiftLogNoOpLogHandler() }) throws {
        let path = "\(store.configuration.path)-trust"
        self.path = path
        key = try StoreTrust.key("\(store.configuration.path)-key")
        let isRecorded = try store.read { try StoreTrust.isRecorded($0) }
        let (list, end) = try StoreTrust.list(path, isRecorded: isRecorded, logger)
        state = Mutex(State(list: list))
        if let end, !end.isRight { try write(list) }
        if !list.isEmpty { try store.write { try StoreTrust.record($0) } }
    }

    package var list: TrustList { state.withLock(\.list) }

    package var mode: TrustSettings.Mode { state.withLock(\.settings.mode) }

    package func configure(_ settings: TrustSettings) { state.withLock { $0.settings = settings } }

    /// The reader's own store trusts no key at first sight; O(log n) for n keys.
    package func decide(_ store: UniqueID, _ key: PublicKey, _ reader: Reader) throws -> TrustList.Decision {
        let (list, settings) = state.withLock { ($0.list, $0.settings) }
        guard settings.mode == .known else { return .trusted }
        let pinned = try PinnedKeys(reader).finding(store, key)
        // Only this store or a copy of it has the store's own key. A copy has a label of its own, which no other key
        // gets from then on.
        guard key != self.key?.publicKey else { return pinned.keys.isEmpty ? .first : .trusted }
        let decision = list.decide(store, key, pinned: pinned, by: settings)
        guard decision != .trusted, !list.isRevoked(key), try isOwn(store, reader) else { return decision }
        return .untrusted("It is signed in the name of this store with key \(key), which is not a key of this store.")
    }

    func isOwn(_ store: UniqueID, _ reader: Reader) throws -> Bool { try reader.writers.own().store == store }

    /// Writes the whole list to its file, O(n log n) for its n keys; the list does not change if that fails.
    @discardableResult
    package func set(
        _ new: TrustList.State,
        _ keys: [PublicKey],
        of store: UniqueID,
        at wall: WallTime
    ) throws(KeyFileError) -> Bool {
        try state.withLock { state throws(KeyFileError) in
            var list = state.list
            for key in keys { list.set(new, key, of: store, at: wall) }
            guard list != state.list else { return false }
            try write(list)
            state.list = list
            return true
        }
    }

    // MARK: Files

    /// Changes nothing, because another process may use the store; does not notice that a recorded list is missing.
    package static func examine(besideStore store: String) throws(KeyFileError) {
        _ = try list(store + "-trust", isRecorded: false, Logger(label: "trust") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The end is nil if the file is missing.
    private static func list(
        _ path: String,
        isRecorded: Bool,
        _ logger: Logger
    ) throws(KeyFileError) -> (TrustList, TrustList.End?) {
        func failure(_ reason: String) -> KeyFileError { KeyFileError(path: path, reason: reason) }
        let harm = "whoever has written it has chosen whom this store trusts"
        let bytes = try KeyFile.bytes(path, ownedBy: geteuid(), mode: 0o644, harm: harm, limit: listBytes)
        let (list, end, ineffective): (TrustList, TrustList.End, [(line: Int, key: String)])
        do {
            (list, end, ineffective) = try TrustList.read(String(decoding: bytes ?? [], as: UTF8.self))
        } catch {
            throw failure("\(error.reason): bring back a copy of the file, or correct the line")
        }
        let isFirst = !isRecorded && end.found == nil
        guard isFirst || end.isRight else {
            let fault =
                bytes == nil
                ? "the file is missing, although the store has a list of keys"
                : "its last line is not the end line of the \(list.count) keys in it, and keys may be missing"
            throw failure(
                "\(fault): bring back a copy of the file; if these \(list.count) keys are all that were trusted or "
                    + "revoked: printf '\\n%s\\n' '\(end.right)' >> \(path.shellWord)"
            )
        }
        for (line, key) in ineffective {
            logger.warning(
                "a line of the list of keys has no effect: its key is of small order, or is a second form of a key",
                metadata: ["file": "\(path)", "line": "\(line)", "key": "\(key)"]
            )
        }
        return (list, bytes == nil ? nil : end)
    }

    private static func isRecorded(_ reader: Reader) throws -> Bool { try reader.setting(StoreKeys.trust) != nil }

    /// Records in the store that its list has an end line, so that a missing list is noticed from then on.
    static func record(_ transaction: WriteTransaction) throws {
        guard try !isRecorded(transaction.reader) else { return }
        try transaction.setSetting(StoreKeys.trust, to: "1")
    }

    private func write(_ list: TrustList) throws(KeyFileError) {
        guard let path else { return }
        guard list.count <= TrustList.limit else {
            throw KeyFileError(path: path, reason: "it would have more than \(TrustList.limit) keys")
        }
        do {
            let (folder, name) = try OpenFolder.holding(path)
            let file = try NewFile(name, in: folder, mode: 0o640)
            try file.write(Array(list.text.utf8))
            try file.replace()
        } catch {
            throw StoreTrust.failure(error, path)
        }
    }

    private static func key(_ path: String) throws(KeyFileError) -> SigningKey {
        if let key = try KeyFile.read(path, ownedBy: geteuid()) { return key }
        let key = SigningKey.generate()
        do {
            let (folder, name) = try OpenFolder.holding(path)
            let file = try NewFile(name, in: folder, mode: 0o600)
            try file.write(key.pem)
            // Never replaces another key.
            try file.finish()
        } catch {
            throw failure(error, path)
        }
        return key
    }

    private static func failure(_ error: any Error, _ path: String) -> KeyFileError {
        if let error = error as? FileFailure { return KeyFileError(path: error.path, code: error.code) }
        return KeyFileError(path: path, reason: ErrorText.text(of: error))
    }
}
