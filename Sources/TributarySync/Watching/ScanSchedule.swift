package import TransactionLog
package import TributaryChanges

/// Places to scan; a file stays named next to "everything": a folder's list does not show an overwritten file.
package struct FolderHints: Hashable, Sendable {
    package private(set) var isEverything: Bool
    package private(set) var folders: Set<UniqueID> = []
    package private(set) var files: Set<SegmentName> = []
    /// The writers whose blobs may have arrived.
    package private(set) var blobs: Set<UniqueID> = []

    package init(everything: Bool = false) { isEverything = everything }

    package static let fileLimit = 4_096

    package var isEmpty: Bool { !isEverything && folders.isEmpty && files.isEmpty && blobs.isEmpty }

    package mutating func insertEverything() { isEverything = true }

    package mutating func insert(folder: UniqueID) {
        folders.insert(folder)
        if folders.count > FolderHints.fileLimit { (isEverything, folders) = (true, []) }
    }

    package mutating func insert(file: SegmentName) {
        files.insert(file)
        guard files.count > FolderHints.fileLimit else { return }
        for writer in Set(files.map(\.writer)) { insert(folder: writer) }
        files = []
    }

    package mutating func insert(blobsOf writer: UniqueID) {
        guard !isEverything else { return }
        blobs.insert(writer)
    }

    package mutating func formUnion(_ other: FolderHints) {
        if other.isEverything { insertEverything() }
        for folder in other.folders { insert(folder: folder) }
        for file in other.files { insert(file: file) }
        for writer in other.blobs { insert(blobsOf: writer) }
    }
}

/// Hinted places are scanned at once, refused places after a delay, and everything at each rescan.
struct ScanSchedule: Sendable {
    /// The delay of another attempt: short for a momentary trouble, long enough for a lasting one.
    static let retryInterval = Duration.seconds(5)

    private var hints = FolderHints()
    private var refused = FolderHints()
    private var retryDue: Duration?
    private var rescanDue = Duration.zero

    var due: Duration { min(rescanDue, retryDue ?? rescanDue) }

    mutating func insert(_ hints: FolderHints) { self.hints.formUnion(hints) }

    mutating func retry(_ refused: FolderHints, now: Duration) {
        guard !refused.isEmpty else { return }
        self.refused.formUnion(refused)
        retryDue = retryDue ?? now + ScanSchedule.retryInterval
    }

    mutating func rescan(at time: Duration) { rescanDue = time }

    mutating func next(now: Duration) -> FolderHints {
        var next = hints
        hints = FolderHints()
        if let due = retryDue, due <= now {
            next.formUnion(refused)
            refused = FolderHints()
            retryDue = nil
        }
        if now >= rescanDue { next.insertEverything() }
        return next
    }
}
