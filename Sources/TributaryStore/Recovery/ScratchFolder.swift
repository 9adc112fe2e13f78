import Foundation
import Glibc
import Synchronization
import TributaryChanges

/// A private folder beside a store for files that live no longer than one piece of work: `STORE.scratch-PURPOSE`.
///
/// Only the owner of the store can enter it. A killed process leaves the folder behind; the next start removes it.
///
/// The work removes it when it ends: a block that other threads release later may hold the last reference, and the next
/// work of the purpose may have made its own folder by then, or the process may have ended.
package final class ScratchFolder: Sendable {
    /// The pieces of work that need a scratch folder; each runs at most once at a time.
    package enum Purpose: String, CaseIterable, Sendable {
        case backup
        case check
        case compaction
    }

    package let path: String
    private let isRemoved = Atomic(false)

    /// Creates the folder, after removing one that an earlier process has left.
    ///
    /// - Throws: ``StoreError`` `scratch` when the system cannot create it.
    package init(_ purpose: Purpose, besideStore store: String) throws(StoreError) {
        path = ScratchFolder.path(purpose, store)
        ScratchFolder.remove(path)
        guard mkdir(path, 0o700) == 0 else {
            throw .scratch(path: path, code: errno)
        }
    }

    deinit { remove() }

    /// Removes the folder with its files, the first time it is called.
    package func remove() {
        guard !isRemoved.exchange(true, ordering: .relaxed) else { return }
        ScratchFolder.remove(path)
    }

    /// The greatest number of bytes that stay free for the live store beside the work.
    private static let greatestReserve: Int64 = 32 << 20

    /// Demands that the disk has room for a file as large as a store, and some for the store to go on.
    ///
    /// - Throws: ``StoreError`` `scratch` with the code of a full disk.
    package func demandRoom(forCopyOf store: String) throws(StoreError) {
        var volume = statvfs()
        guard statvfs(path, &volume) == 0 else { return }
        let size = ScratchFolder.size(of: store).addingSaturating(ScratchFolder.size(of: store + "-wal"))
        let needed = size.addingSaturating(min(size, ScratchFolder.greatestReserve))
        let (free, overflow) = Int64(clamping: volume.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: volume.f_frsize)
        )
        guard overflow || free >= needed else { throw .scratch(path: path, code: ENOSPC) }
    }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    package func file(_ name: String) -> String { path + "/" + name }

    /// Removes the folders that a killed process has left beside a store.
    package static func removeAll(besideStore store: String) {
        for purpose in Purpose.allCases { remove(path(purpose, store)) }
    }

    private static func path(_ purpose: Purpose, _ store: String) -> String { "\(store).scratch-\(purpose.rawValue)" }

    private static func remove(_ path: String) {
        // The folder is certainly this program's own: no other one gives such names to folders beside a store.
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension Store {
    /// The settings of a new store in a scratch folder, which resolves the names of all model versions that this one has
    /// had.
    ///
    /// - Throws: ``StoreError`` when the versions cannot be read.
    package func scratchConfiguration(in folder: ScratchFolder) throws -> StoreConfiguration {
        let path = folder.file("rebuilt.sqlite")
        var scratch = StoreConfiguration(path: path, name: configuration.name, model: model)
        scratch.isScratch = true
        scratch.formerVersions = try RecordedModels.versions(ofStore: configuration.path, except: model)
        return scratch
    }
}
