import TransactionLog
package import TributaryChanges

/// A problem that an administrator should know or solve.
package struct SyncProblem: Hashable, Sendable {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case paused
        case logsMissing
        case logsUnreadable
        case logsMisnamed
        /// The folder's file system does not answer.
        case logsSilent
        case watchFailed
        case watchLimit
        case segmentsDamaged
        case segmentsForked
        case segmentsHeld
        case segmentsRejected
        case segmentsWaiting
        case importFailed
        case exportFailed
        case ownClockAhead
        /// Two writers have made other baselines of the same transactions.
        case baselinesDiffer
        /// A baseline cannot be read, or its bytes are not those that its maker wrote.
        case baselineRefused
        /// Segments are missing that a baseline has, which is to be joined.
        case baselineWaits
    }

    package var code: Code
    package var since: WallTime
    package var detail: String
    package var writer: UniqueID?
    package var hint: String
}

extension SyncProblem {
    init(_ problem: FolderProblem, since: WallTime) {
        switch problem.kind {
        case .missing:
            self.init(
                code: .logsMissing,
                since: since,
                detail: problem.description,
                hint: SyncProblem.mountHint(problem.path)
            )
        case .unreadable, .notAFolder:
            let hint = "See to the folder's kind and permissions; it is looked at again with: tributaryctl sync"
            self.init(code: .logsUnreadable, since: since, detail: problem.description, hint: hint)
        case .misnamed:
            let hint = "Have its writer name it as it should; until then nothing of it is read."
            self.init(code: .logsMisnamed, since: since, detail: problem.description, hint: hint)
        case .watchFailed:
            let hint = "The folder is looked at every 30 s instead, and watched once the system allows it."
            self.init(code: .watchFailed, since: since, detail: problem.description, hint: hint)
        }
    }

    static func watchLimit(since wall: WallTime) -> SyncProblem {
        SyncProblem(
            code: .watchLimit,
            since: wall,
            detail: "The system's limit of watched folders is reached; some are looked at every 30 s instead.",
            hint: "To raise it: sysctl fs.inotify.max_user_watches=524288"
        )
    }

    static func importFailed(_ error: any Error, since wall: WallTime) -> SyncProblem {
        SyncProblem(
            code: .importFailed,
            since: wall,
            detail: "Importing failed: \(ErrorText.text(of: error))",
            hint:
                "Give the store's disk room, and the daemon the right to write there. It is tried again every 10 s, and now "
                + "with: tributaryctl sync"
        )
    }

    static func baselinesDiffer(_ objection: BaselineShelf.Objection, since wall: WallTime) -> SyncProblem {
        let name = objection.baseline.name
        return SyncProblem(
            code: .baselinesDiffer,
            since: wall,
            detail: "The store of writer \(objection.store) has another state than the baseline \(name.path) "
                + "for the same transactions: \(objection.difference)",
            writer: name.writer,
            hint:
                "One of the two stores is wrong; on both machines: tributaryctl check. The maker compares its baseline with "
                + "the log folder, once a day or now: tributaryctl compact"
        )
    }

    static func baselineRefused(
        _ name: BaselineName,
        _ refusal: BaselineShelf.Refusal,
        count: Int
    ) -> SyncProblem {
        let plural = count == 2 ? "" : "s"
        let others = count > 1 ? " The same is true of \(count - 1) other\(plural): tributaryctl compact --dry-run" : ""
        return SyncProblem(
            code: .baselineRefused,
            since: refusal.since,
            detail: "The baseline \(name.path) does not count: \(refusal.reason).\(others)",
            writer: name.writer,
            hint: refusal.hint
        )
    }

    static func baselineWaits(_ waiting: PlannedBaselines.Waiting) -> SyncProblem {
        SyncProblem(
            code: .baselineWaits,
            since: waiting.since,
            detail: "Segments are missing that the baseline \(waiting.baseline.path) has. "
                + (waiting.refusal.map { "It is not joined: \($0.reason)." }
                    ?? "It is joined once they have been missing for watch.incomplete_grace."),
            writer: waiting.refusal?.writer ?? waiting.baseline.writer,
            hint: waiting.refusal?.hint ?? "Nothing; if the segments come first, they are applied instead."
        )
    }

    /// The remedy for a log folder that is not there, or that is another one.
    private static func mountHint(_ folder: String) -> String {
        "Mount the share. If the folder is to begin anew, as the daemon's user: mkdir -m 2770 \(folder.shellWord)"
    }

    static func exportFailed(_ error: any Error, logs: String, own: UniqueID, since wall: WallTime) -> SyncProblem {
        switch error {
        case ExportFailure.clockAhead(let ahead, let other): ownClockAhead(by: ahead, after: other, since: wall)
        case ExportFailure.foreignFolder(_, let writer, _, let isCertain):
            SyncProblem(
                code: .logsMissing,
                since: wall,
                detail: "Local changes are not exported: \(ErrorText.text(of: error))",
                hint: isCertain
                    ? "The store has what it exported lately, and writes it again with: tributaryctl check --repair"
                    : "\(mountHint("\(logs)/\(writer)")) && tributaryctl check --repair"
            )
        case let error as SegmentError where error.kind == .missing && error.file == logs:
            SyncProblem(
                code: .logsMissing,
                since: wall,
                detail: "Local changes are not exported: \(logs) is not there.",
                hint: mountHint(logs)
            )
        default:
            SyncProblem(
                code: .exportFailed,
                since: wall,
                detail: "Local changes were not exported: \(ErrorText.text(of: error))",
                hint:
                    "Give \(logs) room and the daemon the right to write there. It is tried again every 10 s, and now with: "
                    + "tributaryctl sync"
            )
        }
    }

    private static func ownClockAhead(by ahead: Duration, after other: UniqueID?, since wall: WallTime) -> SyncProblem {
        let lead =
            "This store's own clock is \(ahead.components.seconds) s ahead of the machine's; nothing is exported."
        guard let other else {
            return SyncProblem(
                code: .ownClockAhead,
                since: wall,
                detail: lead,
                hint: "If the machine's clock is wrong, set it right. If it is right: tributaryctl writer restamp"
            )
        }
        return SyncProblem(
            code: .ownClockAhead,
            since: wall,
            detail: lead + " Local changes have overwritten values of writer \(other) whose time has not come either, "
                + "so that they cannot get lesser clocks.",
            writer: other,
            hint: "They are exported when their time has come. To export them now, set clock.max_ahead above "
                + "\(ahead.components.seconds) s on each machine, and there: tributaryctl reload"
        )
    }

    static func logsSilent(for silence: Duration, nothingIs effect: String, wall: WallTime) -> SyncProblem {
        SyncProblem(
            code: .logsSilent,
            since: wall.earlier(by: .seconds(silence.components.seconds)),
            detail: "The log folder has not answered for \(silence.components.seconds) s; nothing is \(effect).",
            hint: "See to the folder's mount; what is saved here is safe and is exported later."
        )
    }
}
