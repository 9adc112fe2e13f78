import TributaryChanges

/// The result of a check.
package struct CheckReport: Sendable {
    /// The greatest number of problems that are listed.
    package static let limit = 200

    /// Whether a store that was built from the log folder is equal to the live one.
    package enum Comparison: Sendable, Hashable {
        /// The stores have equal digests.
        case equal(digest: String)
        case different(digest: String, rebuilt: String)
        /// No store with the transactions of the live one can be built.
        case impossible(reason: Obstacle, detail: String)
    }

    /// Why two stores cannot be compared; it is no problem in itself.
    package enum Obstacle: String, Sendable {
        case storeDamaged = "store-damaged"
        case segmentsMissing = "segments-missing"
        case logsUnreadable = "logs-unreadable"
        /// The store cannot be built anew beside the live one, for want of room or because the disk fails.
        case scratchUnusable = "scratch-unusable"
    }

    package private(set) var problems: [CheckProblem] = []
    /// The number of all problems, also of those that are not listed.
    package private(set) var problemCount = 0
    /// The repairs, each as a sentence.
    package var repairs: [String] = []
    package var segments = 0
    /// The number of segments in the log folder that are not applied.
    package var unapplied = 0
    package var values: Int64 = 0
    /// The number of local transactions that are not exported yet.
    package var unexported = 0
    package var comparison = Comparison.impossible(reason: .segmentsMissing, detail: "The check has not ended.")

    mutating func add(
        _ code: CheckProblem.Code,
        detail: String,
        file: String? = nil,
        writer: UniqueID? = nil,
        hint: String
    ) {
        problemCount += 1
        guard problems.count < CheckReport.limit else { return }
        problems.append(CheckProblem(code: code, detail: detail, file: file, writer: writer, hint: hint))
    }
}
