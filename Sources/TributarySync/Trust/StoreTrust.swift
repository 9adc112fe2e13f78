import CLinux
import Foundation
import Glibc
import Synchronization
import TransactionLog
package import TributaryChanges
import TributaryStore

/// A store's own key and the list of keys that it trusts: the one owner of the files `<store>-key` and `<store>-trust`.
///
/// They lie beside the store and not in it, so that a backup has no private key, and a restored one forgets no
/// revocation.
package final class StoreTrust: Sendable {
    private struct State {
        var list = TrustList()
        var settings = TrustSettings()
    }

    /// Nil when nothing is signed.
    package let key: SigningKey?
    /// Nil when the list is only in memory.
    private let path: String?
    private let state: Mutex<State>

    private static let listSize = 32 << 20

    /// Signs nothing, and takes everything.
    package init() {
        (key, path) = (nil, nil)
        state = Mutex(State())
    }

    /// Opens the files of a store, and makes a key where there is none.
    ///
    /// - Parameter store: The path of the store.
    /// - Throws: ``TrustFileError`` when one of the files cannot be read or is none of its kind, when others may read the
    ///   key, or when no key can be written.
    package init(store: String) throws(TrustFileError) {
        let path = "\(store)-trust"
        self.path = path
        key = try StoreTrust.key("\(store)-key")
        var list = TrustList()
        if let bytes = try StoreTrust.read(path, limit: StoreTrust.listSize) {
            do {
                list = try TrustList(String(decoding: bytes, as: UTF8.self))
            } catch {
                throw TrustFileError(path: path, reason: error.reason)
            }
        }
        state = Mutex(State(list: list))
    }

    package var list: TrustList { state.withLock(\.list) }

    package var mode: TrustSettings.Mode { state.withLock(\.settings.mode) }

    package func configure(_ settings: TrustSettings) { state.withLock { $0.settings = settings } }

    /// The reason why a file of a store is not taken; nil when it is.
    ///
    /// With `pins`, a key that is trusted at first sight is written into the list before.
    ///
    /// - Throws: ``TrustFileError`` when the list cannot be written.
    package func refusal(
        _ store: UniqueID,
        _ signature: Signature?,
        of signedText: [UInt8],
        pins: Bool,
        at wall: WallTime
    ) throws(TrustFileError) -> String? {
        try state.withLock { state throws(TrustFileError) in
            guard state.settings.mode == .known else { return nil }
            // Whoever has the store's own key is this store, or a copy of it.
            if let key, signature?.key == key.publicKey, signature?.isValid(of: signedText) == true { return nil }
            switch state.list.decide(store, signature, of: signedText, by: state.settings) {
            case .trusted: return nil
            case .untrusted(let reason): return reason
            case .first(let key):
                guard pins else { return nil }
                var list = state.list
                list.set(.trusted, key, of: store, at: wall)
                try write(list)
                state.list = list
                return nil
            }
        }
    }

    /// - Returns: Whether the list has changed.
    /// - Throws: ``TrustFileError`` when it cannot be written; it is as before then.
    @discardableResult
    package func set(
        _ new: TrustList.State,
        _ keys: [PublicKey],
        of store: UniqueID,
        at wall: WallTime
    ) throws(TrustFileError) -> Bool {
        try state.withLock { state throws(TrustFileError) in
            var list = state.list
            for key in keys { list.set(new, key, of: store, at: wall) }
            guard list != state.list else { return false }
            try write(list)
            state.list = list
            return true
        }
    }

    // MARK: Files

    private func write(_ list: TrustList) throws(TrustFileError) {
        guard let path else { return }
        guard list.entries.count <= TrustList.limit else {
            throw TrustFileError(path: path, reason: "it would have more than \(TrustList.limit) keys")
        }
        let draft = "\(path).new"
        unlink(draft)
        try StoreTrust.create(draft, Array(list.text.utf8), mode: 0o640)
        guard rename(draft, path) == 0 else { throw TrustFileError(path: path, code: errno) }
        try StoreTrust.syncFolder(of: path)
    }

    private static func key(_ path: String) throws(TrustFileError) -> SigningKey {
        do {
            if let key = try KeyFile.read(path, ownedBy: geteuid()) { return key }
        } catch {
            throw TrustFileError(path: path, reason: error.reason)
        }
        let key = SigningKey.generate()
        let draft = "\(path).new"
        unlink(draft)
        try create(draft, key.pem, mode: 0o600)
        // Never in the place of another key.
        guard clinux_rename_noreplace(AT_FDCWD, draft, AT_FDCWD, path) == 0 else {
            throw TrustFileError(path: path, code: errno)
        }
        try syncFolder(of: path)
        return key
    }

    /// Nil when there is no file.
    private static func read(_ path: String, limit: Int) throws(TrustFileError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw TrustFileError(path: path, code: errno)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            let bytes = try file.read(upToCount: limit + 1) ?? Data()
            guard bytes.count <= limit else {
                throw TrustFileError(path: path, reason: "it has more than \(limit) bytes")
            }
            return Array(bytes)
        } catch {
            throw error as? TrustFileError ?? TrustFileError(path: path, reason: error.localizedDescription)
        }
    }

    private static func create(_ path: String, _ bytes: [UInt8], mode: mode_t) throws(TrustFileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw TrustFileError(path: path, code: errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: bytes)
            try file.synchronize()
        } catch {
            throw TrustFileError(path: path, reason: error.localizedDescription)
        }
    }

    private static func syncFolder(of path: String) throws(TrustFileError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else { throw TrustFileError(path: folder, code: errno) }
    }
}

/// A file of ``StoreTrust`` that cannot be used.
package struct TrustFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var path: String
    package var reason: String

    init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

    fileprivate init(path: String, code: Int32) { self.init(path: path, reason: String(cString: strerror(code))) }

    package var description: String { "'\(path)': \(reason)" }
}
