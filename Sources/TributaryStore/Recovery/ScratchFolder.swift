import Foundation
import Glibc
import Synchronization
import TributaryChanges

/// A private folder beside a store for files of one piece of work: `STORE.scratch-PURPOSE`.
///
/// Only the store's owner can enter it. A killed process leaves it behind, and the next start removes it. The work itself
/// removes it, not `deinit`: a block on another thread may release the last reference after the next work has begun.
package final class ScratchFolder: Sendable {
    /// Each kind of work runs at most once at a time.
    package enum Purpose: String, CaseIterable, Sendable {
        case backup
        case check
    }

    package let path: String
    private let isRemoved = Atomic(false)

    package init(_ purpose: Purpose, besideStore store: String) throws(StoreError) {
        path = ScratchFolder.path(purpose, store)
        ScratchFolder.remove(path)
        guard mkdir(path, 0o700) == 0 else {
            throw .scratch(path: path, code: errno)
        }
    }

    deinit { remove() }

    package func remove() {
        guard !isRemoved.exchange(true, ordering: .relaxed) else { return }
        ScratchFolder.remove(path)
    }

    /// The most bytes that stay free for the live store during the work.
    private static let greatestReserve: Int64 = 32 << 20

    /// Demands room for a copy of the store and for further writes; throws the code of a full disk.
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

    package static func removeAll(besideStore store: String) {
        for purpose in Purpose.allCases { remove(path(purpose, store)) }
    }

    private static func path(_ purpose: Purpose, _ store: String) -> String { "\(store).scratch-\(purpose.rawValue)" }

    private static func remove(_ path: String) {
        // No other program uses such names beside a store, so the folder belongs to this program.
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension Store {
    package func scratchConfiguration(in folder: ScratchFolder) throws -> StoreConfiguration {
        let path = folder.file("rebuilt.sqlite")
        var scratch = StoreConfiguration(path: path, name: configuration.name, model: model)
        scratch.isScratch = true
        scratch.formerVersions = try RecordedModels.versions(ofStore: configuration.path, except: model)
        return scratch
    }
}
