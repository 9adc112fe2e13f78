import Foundation
import Glibc
import TributaryAdmin
import TributaryChanges

/// The place of a store whose daemon does not run; locked as a daemon locks it, until the last reference is released.
final class StoppedStore {
    let path: String
    /// The owner of the store's folder, to whom root gives new files.
    private let owner: (user: uid_t, group: gid_t)?
    private let lock: Int32

    /// Locks the store, or the one to which a symbolic link leads.
    init(_ path: String) throws(CommandFailure) {
        let path = RealPath.followingLink(path)
        self.path = path
        let folder = path.folder
        var status = stat()
        guard stat(folder, &status) == 0 else { throw NewFile.failure(folder, errno) }
        owner = geteuid() == 0 ? (status.st_uid, status.st_gid) : nil
        let name = path + ".lock"
        let isNew = access(name, F_OK) != 0
        lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard lock >= 0 else { throw NewFile.failure(name, errno) }
        if isNew, let owner { fchown(lock, owner.user, owner.group) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let holder =
                (try? String(contentsOfFile: name, encoding: .utf8))?.trimmingCharacters(in: .whitespaces) ?? ""
            close(lock)
            throw CommandFailure(
                reason: "a daemon has the store '\(path)' (\(holder.prefix { !$0.isNewline })): stop it first",
                status: .tryAgain
            )
        }
    }

    deinit { close(lock) }

    /// SQLite would apply a write-ahead log that an earlier store left behind to the next one of the same name.
    var exists: Bool { ["", "-wal", "-journal"].contains { access(path + $0, F_OK) == 0 } }

    private var suffixes: [String] {
        ["-wal", "-shm", "-journal", "-blobs", ""].filter { access(path + $0, F_OK) == 0 }
    }

    /// The path that the store's files get, with a time in it; nil when there is no store.
    ///
    /// A move that was interrupted goes on with the name that it has begun with.
    func freeAside(_ begun: String?) -> String? {
        guard exists else { return nil }
        let time = Date().formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        let fresh = "\(path).before-restore-\(time)"
        let folder = path.folder as NSString
        var aside = begun.map { folder.appendingPathComponent(($0 as NSString).lastPathComponent) } ?? fresh
        var number = 0
        // Another store may have been moved away in the same second.
        while suffixes.contains(where: { access(aside + $0, F_OK) == 0 }) {
            number += 1
            aside = number == 1 ? fresh : "\(fresh)-\(number)"
        }
        return aside
    }

    /// Moves the store's files away: all of them, or none.
    ///
    /// The file of the store itself is the last one: a store without its write-ahead log would lack its last saves. The
    /// caller makes the names durable.
    ///
    /// - Throws: ``CommandFailure`` with exit status 74.
    func move(to aside: String) throws(CommandFailure) {
        let suffixes = suffixes
        for (index, suffix) in suffixes.enumerated() where rename(path + suffix, aside + suffix) != 0 {
            let failure = NewFile.failure(path + suffix, errno)
            for moved in suffixes[..<index].reversed() { rename(aside + moved, path + moved) }
            throw failure
        }
    }

    var isMarked: Bool { access(RestoreMarker.path(besideStore: path), F_OK) == 0 }

    var markerBytes: [UInt8]? {
        FileManager.default.contents(atPath: RestoreMarker.path(besideStore: path)).map(Array.init)
    }

    func mark(_ content: [UInt8]) throws {
        // The earlier one stays until the new one is durable: without any, a backup would continue as its former writer.
        let marker = RestoreMarker.path(besideStore: path)
        let draft = marker + ".new"
        unlink(draft)
        let file = try newFile(draft)
        try content.withUnsafeBytes { bytes in try file.write(bytes) }
        try file.finish()
        guard rename(draft, marker) == 0 else { throw NewFile.failure(marker, errno) }
        try NewFile.syncFolder(of: marker)
    }

    func unmark() { unlink(RestoreMarker.path(besideStore: path)) }

    func newFile(_ path: String) throws(CommandFailure) -> NewFile {
        let file = try NewFile(path, mode: 0o640, isTaken: true)
        if let owner { try file.give(to: owner.user, owner.group) }
        return file
    }
}

extension StoppedStore {
    /// Returns the path of the store for commands without a daemon, which never read the configuration.
    static func path(store: String?, instance: String?) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let store { return store }
        if let instance { return DefaultPaths.store(of: instance) }
        if let named = environment["TRIBUTARY_STORE"], !named.isEmpty { return named }
        let service = geteuid() == 0 ? DefaultPaths.serviceState : nil
        return DefaultPaths(environment: environment, serviceState: service).store
    }
}
