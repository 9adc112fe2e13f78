import Glibc

/// The files that a failure of the disk hits, with the failures of it that are tried.
enum FaultTarget: String, CaseIterable, Sendable {
    /// The WAL, into which saves and imports go.
    case wal
    /// The store's file, into which checkpoints copy the WAL.
    case store
    /// A segment while it is written.
    case staging
    /// A segment while it gets its name in the log folder.
    case naming
    case blob
    /// The copy of the store that a backup sends.
    case backup
    /// A segment of another writer.
    case reading

    /// The failures; paths are those of ``FaultyReplica``.
    var rules: [FaultRule] {
        let wal = "*/one.sqlite-wal"
        let store = "*/one.sqlite"
        let staged = "*/logs/.staging/*/*.tlog"
        let folder = "*/logs/????????-????-????-????-????????????"
        let blobs = "*/one.sqlite-blobs/*"
        let backup = "*/one.sqlite.scratch-backup/*"
        let foreign = "*/logs/5f0c0000-*.tlog"
        return switch self {
        case .wal:
            [
                .failing(.write, wal, EIO), .failing(.write, wal, ENOSPC), .failing(.write, wal, EIO, skipped: 3),
                .torn(wal, EIO), .torn(wal, ENOSPC), .short(wal), .failing(.sync, wal, EIO),
                .failing(.sync, wal, ENOSPC),
            ]
        case .store:
            [
                .failing(.write, store, EIO), .failing(.write, store, ENOSPC, skipped: 5), .torn(store, EIO),
                .short(store), .failing(.sync, store, EIO),
            ]
        case .staging:
            [
                .failing(.open, staged, EIO), .failing(.open, staged, ENOSPC), .failing(.write, staged, EIO),
                .failing(.write, staged, ENOSPC), .torn(staged, EIO), .torn(staged, ENOSPC), .short(staged),
                .failing(.sync, staged, EIO), .failing(.sync, staged, ENOSPC),
            ]
        case .naming:
            [
                .failing(.rename, folder + "/*.tlog", EIO), .failing(.rename, folder + "/*.tlog", ENOSPC),
                .failing(.sync, folder, EIO), .failing(.sync, folder, ENOSPC),
            ]
        case .blob:
            [
                .failing(.write, blobs, EIO), .failing(.write, blobs, ENOSPC), .torn(blobs, EIO), .torn(blobs, ENOSPC),
                .short(blobs), .failing(.sync, blobs, EIO), .failing(.sync, blobs, EIO, skipped: 1),
                .failing(.rename, blobs, EIO), .failing(.rename, blobs, ENOSPC),
            ]
        case .backup:
            [
                .failing(.open, backup, EIO), .failing(.write, backup, EIO), .failing(.write, backup, ENOSPC),
                .failing(.write, backup, EIO, skipped: 4), .torn(backup, ENOSPC), .short(backup),
                .failing(.read, backup, EIO),
            ]
        case .reading:
            [.failing(.open, foreign, EIO), .failing(.read, foreign, EIO), .failing(.read, foreign, EIO, skipped: 1)]
        }
    }

    /// The report of the daemon: the statuses of responses, and the codes of problems in its status.
    var reports: [String] {
        switch self {
        case .wal: ["503", "import-failed"]
        case .store: ["checkpoint-failed"]
        case .staging, .naming: ["503", "export-failed"]
        case .blob, .backup: ["503"]
        case .reading: ["segments-rejected"]
        }
    }
}
