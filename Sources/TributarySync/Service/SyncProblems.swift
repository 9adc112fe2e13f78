import TributaryChanges

/// The problems that concern no single segment.
struct SyncProblems: Sendable {
    private(set) var ofFolder: [FolderProblem: WallTime] = [:]
    private var others: [SyncProblem.Code: SyncProblem] = [:]

    struct FolderChange: Hashable, Sendable {
        var begun: Set<FolderProblem> = []
        var ended: Set<FolderProblem> = []
    }

    func contains(_ code: SyncProblem.Code) -> Bool { others[code] != nil }

    var isFolderMissing: Bool { ofFolder.keys.contains { $0.kind == .missing } }

    /// Adds or updates a problem; an existing one keeps the time since which it exists.
    mutating func raise(_ problem: SyncProblem) {
        var problem = problem
        problem.since = others[problem.code]?.since ?? problem.since
        others[problem.code] = problem
    }

    mutating func end(_ codes: SyncProblem.Code...) {
        for code in codes { others[code] = nil }
    }

    /// The problems that an export has, one at a time.
    private static let ofExport: [SyncProblem.Code] = [.exportFailed, .ownClockAhead, .logsMissing]

    mutating func endExportProblems() {
        for code in SyncProblems.ofExport { others[code] = nil }
    }

    /// Replaces the problem of the last export: an export fails for one reason.
    mutating func replaceExportProblem(with problem: SyncProblem) {
        for code in SyncProblems.ofExport where code != problem.code { others[code] = nil }
        raise(problem)
    }

    /// Adds the problems of a scan, and ends other problems of the scanned folders.
    mutating func updateFolder(
        _ found: [FolderProblem],
        isWhole: Bool,
        scanned folders: Set<String>,
        wall: WallTime
    ) -> FolderChange {
        let current = Set(found)
        let former = ofFolder
        ofFolder = former.filter { current.contains($0.key) || !(isWhole || folders.contains($0.key.path)) }
        for problem in current where ofFolder[problem] == nil { ofFolder[problem] = wall }
        return FolderChange(
            begun: Set(ofFolder.keys).subtracting(former.keys),
            ended: Set(former.keys).subtracting(ofFolder.keys)
        )
    }

    /// All problems, in no particular order; a folder that is not there is one problem, whoever misses it.
    var all: [SyncProblem] {
        let isMissed = others[.logsMissing] != nil
        let folders = ofFolder.filter { !(isMissed && $0.key.kind == .missing) }
        return Array(others.values) + folders.map { SyncProblem($0.key, since: $0.value) }
    }
}
