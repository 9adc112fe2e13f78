import TributaryChanges

/// The problems that concern no single segment.
struct SyncProblems: Sendable {
    /// The folder's problems, each with the wall time since which it exists.
    private(set) var ofFolder: [FolderProblem: WallTime] = [:]
    private var others: [SyncProblem.Code: SyncProblem] = [:]

    /// The problems of the folder that a scan has found, and those that it has ended.
    struct FolderChange: Hashable, Sendable {
        var begun: Set<FolderProblem> = []
        var ended: Set<FolderProblem> = []
    }

    func contains(_ code: SyncProblem.Code) -> Bool { others[code] != nil }

    /// Adds or updates a problem; an existing one keeps the time since which it exists.
    mutating func raise(_ problem: SyncProblem) {
        var problem = problem
        problem.since = others[problem.code]?.since ?? problem.since
        others[problem.code] = problem
    }

    mutating func end(_ codes: SyncProblem.Code...) {
        for code in codes { others[code] = nil }
    }

    /// Adds the problems of a scan, and ends other problems of the scanned folders.
    ///
    /// - Parameters:
    ///   - found: the problems of the scan.
    ///   - isWhole: whether everything was scanned.
    ///   - folders: the paths of the folders that were scanned.
    ///   - wall: the wall time.
    /// - Returns: The added and the ended problems.
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

    /// All problems, in no particular order.
    var all: [SyncProblem] { Array(others.values) + ofFolder.map { SyncProblem($0.key, since: $0.value) } }
}
