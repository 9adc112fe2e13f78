import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// The folder and the file name of a store that no daemon has open.
///
/// Until the last reference to this object is released, it holds the lock that a daemon would hold.
///
/// Root works in the folder of the service's user, who could put a link in the place of each file. The folder is
/// therefore opened once. The store itself may be a link, for root only a link of root.
final class StoppedStore {
    let path: String
    let folder: OpenFolder
    private let name: String
    private let owner: (user: uid_t, group: gid_t)?
    private let lock: Int32

    init(_ path: String) throws {
        (folder, name, self.path) = try OpenFolder.holding(linkedFrom: path)
        var status = stat()
        guard fstat(folder.descriptor, &status) == 0 else { throw FileFailure(folder.path, errno) }
        owner = geteuid() == 0 ? (status.st_uid, status.st_gid) : nil
        let lockName = name + ".lock"
        var opened = folder.open(lockName, O_RDWR | O_CREAT | O_EXCL, mode: 0o640)
        if opened >= 0, let owner { fchown(opened, owner.user, owner.group) }
        if opened < 0, errno == EEXIST { opened = folder.open(lockName, O_RDWR | O_NONBLOCK) }
        guard opened >= 0 else { throw folder.failure(lockName, errno) }
        lock = opened
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = pread(lock, &bytes, bytes.count, 0)
            let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
            let holder = String(decoding: line, as: UTF8.self)
            throw CommandFailure(
                reason: "a daemon has the store '\(self.path)' (\(holder)): stop it first",
                status: .tryAgain
            )
        }
    }

    deinit { close(lock) }

    /// SQLite would apply the write-ahead log of an earlier store to the next store of the same name.
    var exists: Bool { ["", "-wal", "-journal"].contains { folder.contains(name + $0) } }

    private var suffixes: [String] { ["-wal", "-shm", "-journal", "-blobs", ""].filter { folder.contains(name + $0) } }

    /// Contains a time; nil without a store.
    ///
    /// An interrupted move continues with its first name.
    func freeAside(_ begun: String?) -> String? {
        guard exists else { return nil }
        let time = Date().formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        let fresh = "\(name).before-restore-\(time)"
        var aside = begun.map { ($0 as NSString).lastPathComponent } ?? fresh
        var number = 0
        // Another store may have been moved away in the same second.
        while suffixes.contains(where: { folder.contains(aside + $0) }) {
            number += 1
            aside = number == 1 ? fresh : "\(fresh)-\(number)"
        }
        return (path.folder as NSString).appendingPathComponent(aside)
    }

    /// Moves all of the store's files away, or none; the caller makes the names durable.
    ///
    /// The main file is moved last: a store without its write-ahead log would lack its last saves.
    func move(to aside: String) throws(FileFailure) {
        let (suffixes, aside) = (suffixes, (aside as NSString).lastPathComponent)
        for (index, suffix) in suffixes.enumerated() {
            do throws(FileFailure) {
                try folder.rename(name + suffix, to: aside + suffix)
            } catch {
                for moved in suffixes[..<index].reversed() { try? folder.rename(aside + moved, to: name + moved) }
                throw FileFailure(path + suffix, error.code)
            }
        }
    }

    private var markerName: String { RestoreMarker.path(besideStore: name) }

    var isMarked: Bool { folder.contains(markerName) }

    /// Nil if the marker is missing, is a link, or has a second name.
    var markerBytes: [UInt8]? { try? folder.contents(of: markerName, limit: RestoreMarker.largest) }

    var marker: RestoreMarker? { markerBytes.flatMap { try? RestoreMarker(bytes: $0) } }

    /// Replaces an earlier marker atomically: without a marker a backup would continue as its former writer.
    func mark(_ content: [UInt8]) throws {
        let file = try newFile(markerName)
        try file.write(content)
        try file.replace()
    }

    func unmark() { try? folder.remove(markerName) }

    func newStore() throws(FileFailure) -> NewFile { try newFile(name) }

    private func newFile(_ name: String) throws(FileFailure) -> NewFile {
        let file = try NewFile(name, in: folder, mode: 0o640)
        if let owner { try file.give(to: owner.user, owner.group) }
        return file
    }
}

extension StoppedStore {
    /// Throws when the service last had its store elsewhere: a backup in the default place would restore nothing.
    static func path(store: String?, instance: String?) throws(CommandFailure) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let store { return store }
        if instance == nil, let named = environment["TRIBUTARY_STORE"], !named.isEmpty { return named }
        let service = geteuid() == 0 ? DefaultPaths.serviceState : nil
        let path =
            instance.map(DefaultPaths.store(of:))
            ?? DefaultPaths(environment: environment, serviceState: service).store
        guard let last = last(in: path.folder), RealPath.resolved(last) != RealPath.resolved(path) else { return path }
        throw CommandFailure(
            reason: "the service had its store at '\(last)' last, and not at '\(path)': give --store with the place",
            status: .usage
        )
    }

    /// The service's user may have written anything into this file.
    private static func last(in folder: String) -> String? {
        guard let opened = try? OpenFolder(folder),
            let bytes = try? opened.contents(of: DefaultPaths.lastStore, limit: DefaultPaths.longestLastStore)
        else { return nil }
        let path = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return path.hasPrefix("/") ? path : nil
    }
}
