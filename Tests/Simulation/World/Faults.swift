import Synchronization

/// The state in which a replicator leaves a copy of a segment.
package enum FileFault: Hashable, Sendable {
    case none
    /// Only the first part of the bytes has come, in per cent.
    case partial(Int)
    /// Bytes that no writer wrote follow.
    case appended
    /// One byte, at this per cent of the file, is another one.
    case damaged(Int)
    /// The replicator keeps the file, up to this per cent of its bytes, under the name of a conflict copy.
    case conflictCopy(Int)
    /// The replicator removes its copy; it may come again.
    case removed
    case completed
}

/// How a log folder is lost.
package enum FolderLoss: String, Hashable, Sendable, CaseIterable {
    /// The share is not mounted: an empty folder is in its place until it comes back.
    case unmounted
    case own
    case all
}

/// A file that is lost in all log folders.
package enum LostFile: String, Hashable, Sendable, CaseIterable {
    case segment
    case baseline
    /// What a store has found in a baseline.
    case comparison
}

/// What has the name of a segment that a store is about to publish.
package enum ForeignFile: String, Hashable, Sendable, CaseIterable {
    case empty
    case garbage
    case folder
    case link
}

/// A change of the keys with which files are encrypted.
package enum KeyChange: String, Hashable, Sendable, CaseIterable {
    /// The newest key becomes the last one of a replica; all make a newer one where it has that.
    case adds
    /// The newest key of a replica becomes its first one.
    case leads
    /// A replica has only its first key left.
    case drops
    /// A replica has no key left, and encrypts nothing.
    case removes
    /// Nobody has the newest key any more, which was on no paper.
    case loses
}

/// How a store comes to another place.
package enum Relocation: String, Hashable, Sendable, CaseIterable {
    case path
    /// Its file is copied, and the original removed.
    case file
    case folder
    /// It goes on on another machine.
    case machine
}

/// How an older copy of a store comes into its place.
package enum Restoration: String, Hashable, Sendable, CaseIterable {
    /// A file is copied over the store's file.
    case file
    /// A backup is restored by the program, which records it in the store.
    case backup
    /// The disk of the machine is set back, with the log folder.
    case machine
}

/// How a replica becomes a copy of another one, which goes on.
package enum CopyKind: String, Hashable, Sendable, CaseIterable {
    /// The copy is on another machine.
    case machine
    /// The copy is on the same machine, where the original still is.
    case beside
    /// The disk of the machine was copied, so that nothing tells the two apart.
    case unnoticed
}

/// A moment at which the program of a replica ends without closing its store.
package enum CrashPoint: String, Hashable, Sendable, CaseIterable {
    case saveBeforeCommit
    /// The transaction is committed, and the next token is not given back.
    case saveAfterCommit
    case importBeforeCommit
    case importAfterCommit
    /// The range of a segment is committed, its file is not written.
    case exportBegun
    /// The file of a segment has its name, and the store does not know it yet.
    case exportPlaced
}

/// Decides at which moment the program of a replica ends, and keeps the store's files of that moment.
final class CrashPlan: Sendable {
    /// The error that ends the work in progress.
    struct Crash: Error {}

    private struct State {
        var armed: CrashPoint?
        var image: StoreImage?
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    func arm(_ point: CrashPoint?) { state.withLock { $0.armed = point } }

    /// - Throws: ``Crash`` when the program ends at this point.
    func reach(_ point: CrashPoint) throws {
        guard state.withLock({ $0.armed == point }) else { return }
        let image = try StoreImage(of: path)
        state.withLock { $0 = State(image: image) }
        throw Crash()
    }

    /// Removes and returns the files of the moment at which the program ended; nil when it goes on.
    func takeImage() -> StoreImage? { state.withLock { $0.image.take() } }
}
