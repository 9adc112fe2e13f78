import TransactionLog
import TributaryChanges

/// What the loops of the service share with those who ask.
struct SyncState {
    enum Phase {
        /// `run()` has not been called.
        case idle
        case running
        /// No new work is taken.
        case stopping
        case ended
    }

    var phase = Phase.idle
    var configuration: SyncConfiguration
    var planner: ImportPlanner
    /// Where to look besides where the watcher says.
    var hints = FolderHints()
    /// Who waits for a whole pass over the folder.
    var requests: [CheckedContinuation<Void, any Error>] = []
    /// Who waits for the folder to be watched.
    var starters: [CheckedContinuation<Void, Never>] = []
    var isWatching = false
    /// The accepted segments differ from what the store remembers.
    var acceptedChanged = false
    var journaledGaps = JournaledGaps()
    var journaledDeferrals = JournaledDeferrals()
    var pausedSince: UInt64?
    var pausedUntil: UInt64?

    var initialImportComplete = false
    var lastImport: UInt64?
    var isImporting = false
    var imported = ImportCounts()
    var exported = ImportCounts()

    /// By problem, since when.
    var folderProblems: [FolderProblem: UInt64] = [:]
    /// Those that are not about the folder or its segments.
    var problems: [SyncProblem.Code: SyncProblem] = [:]

    var isPaused: Bool { pausedSince != nil }
    var isStopping: Bool { phase == .stopping || phase == .ended }

    mutating func raise(_ code: SyncProblem.Code, wall: UInt64, detail: String, writer: UniqueID? = nil, hint: String) {
        let since = problems[code]?.since ?? wall
        problems[code] = SyncProblem(code, since: since, detail: detail, writer: writer, hint: hint)
    }

    /// Takes the problems of one look; others of the places that it covered are over.
    mutating func noteFolderProblems(_ found: [FolderProblem], isWhole: Bool, lookedAt: Set<String>, wall: UInt64) {
        let current = Set(found)
        var noted = folderProblems.filter { current.contains($0.key) || !(isWhole || lookedAt.contains($0.key.path)) }
        for problem in found where noted[problem] == nil { noted[problem] = wall }
        folderProblems = noted
    }
}
