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
    package var hint: String
    package var writer: UniqueID?

    package init(_ code: Code, since: WallTime, detail: String, writer: UniqueID? = nil, hint: String) {
        self.code = code
        self.since = since
        self.detail = detail
        self.writer = writer
        self.hint = hint
    }
}
