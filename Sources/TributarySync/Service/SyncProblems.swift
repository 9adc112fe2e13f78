import TransactionLog
import TributaryAdmin
import TributaryChanges

struct SyncProblems: Sendable {
    private(set) var ofFolder: [FolderProblem: WallTime] = [:]
    private var others: [Problem.Code: Problem] = [:]

    struct FolderChange: Hashable, Sendable {
        var begun: Set<FolderProblem> = []
        var ended: Set<FolderProblem> = []
    }

    func contains(_ code: Problem.Code) -> Bool { others[code] != nil }

    var isFolderMissing: Bool { ofFolder.keys.contains { $0.code == .logsMissing } }

    /// An existing problem keeps its first time.
    mutating func raise(_ problem: Problem) {
        var problem = problem
        problem.since = others[problem.code]?.since ?? problem.since
        others[problem.code] = problem
    }

    mutating func end(_ codes: Problem.Code...) {
        for code in codes { others[code] = nil }
    }

    private static let ofExport: [Problem.Code] = [.exportFailed, .ownClockAhead, .logsMissing]

    /// Nil after a successful export; otherwise the problem replaces the problem of the former failure.
    mutating func setExportProblem(_ problem: Problem?) {
        for code in SyncProblems.ofExport where code != problem?.code { others[code] = nil }
        if let problem { raise(problem) }
    }

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

    /// A missing folder is one problem, however many parts of the service report it.
    var all: [Problem] {
        let isMissed = others[.logsMissing] != nil
        let folders = ofFolder.filter { !(isMissed && $0.key.code == .logsMissing) }
        return Array(others.values) + folders.map { Problem($0.key, since: $0.value) }
    }
}

extension Problem {
    init(_ problem: FolderProblem, since: WallTime) {
        let hint =
            switch problem.code {
            case .logsMissing: Problem.mountHint(problem.path)
            case .logsMisnamed: "Have its writer name it as described; until then it is not read."
            case .stagingReplicated:
                "Leave /.staging out on each machine; with Syncthing: tributaryctl replicator setup syncthing"
            case .watchFailed: "The folder is looked at every 30 s instead, and watched once the system allows it."
            default: "Check that it is a folder, and its permissions. To look at it again: tributaryctl sync"
            }
        self.init(problem.code, since: since, detail: problem.description, hint: hint)
    }

    init(_ code: Code, _ first: SegmentStatus, count: Int, since: WallTime) {
        let more = count > 1 ? " and \(count - 1) more" : ""
        // If the segment's own hint has no command, the command that explains the segment is added.
        var hint = first.hint ?? ""
        if !hint.contains(#/: (tributaryctl|rm) /#) {
            hint += (hint.isEmpty ? "" : " ") + "To see more: tributaryctl segment explain \(first.id.path)"
        }
        if count > 1 {
            // A command does not end with a full stop.
            hint += hint.hasSuffix(".") ? " To" : "; to"
            hint += " see all \(count): tributaryctl segment list --state \(first.state.rawValue)"
        }
        self.init(
            code,
            since: since,
            detail: "\(first.file)\(more): \(first.state.rawValue). \(first.reason)",
            writer: first.id.writer,
            hint: hint
        )
    }

    static func paused(_ pause: ImportPause, at wall: WallTime) -> Problem {
        let rest = pause.until.map { " for another \($0.duration(since: wall).words)" } ?? ""
        return Problem(
            .paused,
            since: pause.since,
            detail: "Importing is paused\(rest).",
            hint: "To resume it: tributaryctl resume"
        )
    }

    static func watchLimit(since wall: WallTime) -> Problem {
        Problem(
            .watchLimit,
            since: wall,
            detail: "The system's limit of watched folders is reached; some are looked at every 30 s instead.",
            hint: "To raise it: sysctl fs.inotify.max_user_watches=524288"
        )
    }

    static func importFailed(_ error: any Error, since wall: WallTime) -> Problem {
        Problem(
            .importFailed,
            since: wall,
            detail: "Importing failed: \(ErrorText.text(of: error))",
            hint:
                "Give the store's disk room, and the daemon the right to write there. The daemon tries again every 10 s; to "
                + "try now: tributaryctl sync"
        )
    }

    static func baselinesDiffer(_ objection: KnownBaselines.Objection, logs: String, since wall: WallTime) -> Problem {
        let name = objection.baseline.name
        let file = "\(logs)/\(name.path)"
        return Problem(
            .baselinesDiffer,
            since: wall,
            detail: "The store of writer \(objection.store) has another state than the baseline \(name.path) "
                + "for the same transactions: \(objection.difference)",
            writer: name.writer,
            file: file,
            hint:
                "One of the two stores is wrong; on both machines: tributaryctl check; on the baseline's machine, to compare "
                + "it with the log folder too: tributaryctl compact; once that machine has a new store: rm \(file.shellWord)"
        )
    }

    /// `subject` is the first of several files, and `command` lists all of them.
    init(
        _ code: Code,
        _ subject: String,
        of writer: UniqueID,
        _ refusal: KnownBaselines.Refusal,
        count: Int = 1,
        listedBy command: String = ""
    ) {
        let plural = count == 2 ? "" : "s"
        let others = count > 1 ? " The same is true of \(count - 1) other\(plural): tributaryctl \(command)" : ""
        self.init(
            code,
            since: refusal.since,
            detail: "\(subject) is not used: \(refusal.sentence)\(others)",
            writer: writer,
            hint: refusal.hint
        )
    }

    static func baselineWaits(_ waiting: PlannedBaselines.Waiting) -> Problem {
        Problem(
            .baselineWaits,
            since: waiting.since,
            detail: "Segments are missing that the baseline \(waiting.baseline.path) has. "
                + (waiting.refusal.map { "It is not joined: \($0.reason)." }
                    ?? "It is joined once they have been missing for watch.incomplete_grace."),
            writer: waiting.refusal?.writer ?? waiting.baseline.writer,
            hint: waiting.refusal?.hint ?? "Nothing to do: if the segments arrive first, they are applied instead."
        )
    }

    static func baselineUnverified(_ name: BaselineName, _ reason: String, since: WallTime) -> Problem {
        Problem(
            .baselineUnverified,
            since: since,
            detail: "No store has endorsed a baseline for days, so that no segment is removed. This store cannot "
                + "compare \(name.path): \(reason)",
            writer: name.writer,
            hint: "To try it again: tributaryctl compact; if its machine is right: \(SyncError.acceptCommand(name))"
        )
    }

    static func baselineOffered(_ offered: PlannedBaselines.Waiting) -> Problem {
        Problem(
            .baselineWaits,
            since: offered.since,
            detail: "Segments are missing that only the baseline \(offered.baseline.path) has. No store has verified "
                + "it, and a store that lacks its transactions cannot do so.",
            writer: offered.baseline.writer,
            hint: PlannedBaselines.offer(offered.baseline)
        )
    }

    static func baselineAlone(
        _ name: BaselineName,
        _ missing: AppliedSegments.Transaction,
        since: WallTime
    ) -> Problem {
        Problem(
            .baselineWaits,
            since: since,
            detail: "Only this store and its baseline \(name.path) have transaction \(missing.sequence) of writer "
                + "\(missing.writer): its segment is missing, and no other store has acknowledged the transaction.",
            writer: missing.writer,
            hint: "If this store has written it, publish it again (tributaryctl check --repair). If that does not "
                + "help, and this store is right, on another machine: \(SyncError.acceptCommand(name))"
        )
    }

    static func exportsMissing(_ exports: [MissingExports], logs: String, since: WallTime) -> Problem {
        let count = exports.reduce(0) { $0.addingSaturating($1.count) }
        let first = exports.first { $0.isKept } ?? exports[0]
        let segments = count == 1 ? "A segment of this store is" : "\(count) segments of this store are"
        let state =
            switch (count, first.isDamaged) {
            case (1, false): "not in the log folder"
            case (1, true): "damaged in the log folder"
            default: "missing or damaged in the log folder"
            }
        let file = "\(logs)/\(first.first.path)"
        let removal = first.isReplaced ? "rm -r \(file.shellWord) && " : ""
        return Problem(
            .ownSegmentsMissing,
            since: since,
            detail: "\(segments) \(state), the first is \(first.first.path): no endorsed baseline has it, "
                + "and not all other stores have acknowledged it.",
            writer: first.first.writer,
            file: file,
            hint: first.isKept
                ? "To publish it again: \(removal)tributaryctl check --repair"
                : "Bring it from another machine, or make a baseline, which another store endorses: tributaryctl compact"
        )
    }

    static func mountHint(_ folder: String) -> String {
        "Mount the share. If the folder is to begin empty: \(Accounts.commandToMakeLogFolder(folder))"
    }

    static func exportFailed(_ error: any Error, logs: String, since wall: WallTime) -> Problem {
        let text = ErrorText.text(of: error)
        var problem = Problem(
            .exportFailed,
            since: wall,
            detail: "Local changes were not exported: \(text)",
            hint:
                "Give \(logs) room and the daemon the right to read and write there. The daemon tries again every 10 s; to try now: "
                + "tributaryctl sync"
        )
        switch error {
        case ExportFailure.clockAhead:
            (problem.code, problem.detail) = (.ownClockAhead, text)
            problem.hint = "If the machine's clock is wrong, set it right. If it is right: tributaryctl writer restamp"
        case ExportFailure.foreignFolder(_, let writer, _, let isCertain):
            (problem.code, problem.detail) = (.logsMissing, "Local changes are not exported: \(text)")
            problem.hint =
                isCertain
                ? "The store has what it exported lately, and writes it again with: tributaryctl check --repair"
                : "\(mountHint("\(logs)/\(writer)")) && tributaryctl check --repair"
        case ExportFailure.nameTaken(let file, _, let hasTransactions):
            (problem.file, problem.hint) = (file, TakenNames.hint([(file, hasTransactions)]))
        case let error as SegmentError where error.kind == .missing && error.file == logs:
            (problem.code, problem.hint) = (.logsMissing, mountHint(logs))
            problem.detail = "Local changes are not exported: \(logs) is not there."
        case let error as SegmentError where error.kind == .locked: problem.hint = error.hint
        default: break
        }
        return problem
    }

    static func folderFull(_ logs: String, limit: Int64, waiting: Int, since wall: WallTime) -> Problem {
        let are = waiting == 1 ? "1 transaction of this store waits" : "\(waiting) transactions of this store wait"
        return Problem(
            .folderFull,
            since: wall,
            detail: "\(logs) has the \(ByteText.text(limit)) that logs.max_bytes allows: \(are) in the store and "
                + (waiting == 1 ? "is" : "are") + " not published. Saves and the import still work.",
            hint:
                "To make room: tributaryctl compact; to let more in, raise logs.max_bytes on each machine, and there: "
                + "tributaryctl reload"
        )
    }

    static func logsSilent(for silence: Duration, nothingIs effect: String, wall: WallTime) -> Problem {
        Problem(
            .logsSilent,
            since: wall.earlier(by: .seconds(silence.components.seconds)),
            detail: "The log folder has not answered for \(silence.words); nothing is \(effect).",
            hint: "Check the mount of the folder. Saved data is safe and is exported later."
        )
    }
}
