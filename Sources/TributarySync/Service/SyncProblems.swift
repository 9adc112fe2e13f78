/// The problems that no single segment is to blame for.
struct SyncProblems: Sendable {
    /// The folder's problems, each with the wall time since when it is one.
    private(set) var ofFolder: [FolderProblem: UInt64] = [:]
    private var others: [SyncProblem.Code: SyncProblem] = [:]

    /// Problems of the folder that a scan has brought, and those that it has ended.
    struct FolderChange: Hashable, Sendable {
        var begun: Set<FolderProblem> = []
        var ended: Set<FolderProblem> = []
    }

    func contains(_ code: SyncProblem.Code) -> Bool { others[code] != nil }

    /// Adds a problem, or describes it anew; one that is there already keeps the time since when it is one.
    mutating func raise(_ problem: SyncProblem) {
        var problem = problem
        problem.since = others[problem.code]?.since ?? problem.since
        others[problem.code] = problem
    }

    mutating func end(_ codes: SyncProblem.Code...) {
        for code in codes { others[code] = nil }
    }

    /// Adds the problems of a scan; others of the folders that it scanned have ended.
    ///
    /// - Parameters:
    ///   - found: the problems of the scan.
    ///   - isWhole: whether everything was scanned.
    ///   - folders: the paths of the folders that were scanned.
    ///   - wall: the wall time.
    /// - Returns: What has changed.
    mutating func updateFolder(
        _ found: [FolderProblem],
        isWhole: Bool,
        scanned folders: Set<String>,
        wall: UInt64
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

    /// All of them, in no order.
    var all: [SyncProblem] { Array(others.values) + ofFolder.map { SyncProblem($0.key, since: $0.value) } }
}
