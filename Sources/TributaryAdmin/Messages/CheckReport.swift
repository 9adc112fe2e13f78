package import TributaryChanges

/// The result of a check, which is the response of `POST /v1/check`.
package struct CheckReport: Codable, Hashable, Sendable {
    /// The greatest number of problems that are listed.
    package static let limit = 200

    /// Whether a store that was built anew from the log folder is equal to the live one.
    package struct Comparison: Codable, Hashable, Sendable {
        /// `equal`, `different` or `impossible`.
        package var result: String
        /// Why the stores cannot be compared, as a code.
        package var reason: String?
        /// Why the stores cannot be compared, as a sentence.
        package var detail: String?
        package var digest: String?
        /// The digest of the store that was built anew.
        package var rebuilt: String?

        /// The stores have equal digests.
        package static func equal(digest: String) -> Comparison {
            Comparison(result: "equal", digest: digest, rebuilt: digest)
        }

        package static func different(digest: String, rebuilt: String) -> Comparison {
            Comparison(result: "different", digest: digest, rebuilt: rebuilt)
        }

        /// No store with the transactions of the live one can be built.
        package static func impossible(_ reason: Obstacle, _ detail: String) -> Comparison {
            Comparison(result: "impossible", reason: reason.rawValue, detail: detail)
        }
    }

    /// Why two stores cannot be compared; it is no problem in itself.
    package enum Obstacle: String, Sendable {
        case storeDamaged = "store-damaged"
        case segmentsMissing = "segments-missing"
        case logsUnreadable = "logs-unreadable"
        /// The store cannot be built anew beside the live one, for want of room or because the disk fails.
        case scratchUnusable = "scratch-unusable"
    }

    package private(set) var ok = true
    package private(set) var problems: [Problem] = []
    /// The number of all problems, also of those that are not listed.
    package private(set) var problemCount = 0
    /// The repairs, each as a sentence.
    package var repairs: [String] = []
    /// The number of segments that were verified.
    package var segments = 0
    /// The number of segments in the log folder that are not applied.
    package var unapplied = 0
    /// The number of large values that were verified.
    package var values: Int64 = 0
    /// The number of local transactions that are not exported yet.
    package var unexported = 0
    package var comparison = Comparison.impossible(.segmentsMissing, "The check has not ended.")

    package init() {}

    package mutating func add(
        _ code: Problem.Code,
        detail: String,
        writer: UniqueID? = nil,
        file: String? = nil,
        hint: String
    ) {
        ok = false
        problemCount += 1
        guard problems.count < CheckReport.limit else { return }
        problems.append(Problem(code, detail: detail, writer: writer, file: file, hint: hint))
    }
}
