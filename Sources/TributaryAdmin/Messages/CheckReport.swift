package import TributaryChanges

/// The result of a check, which is the response of `POST /v1/check`.
package struct CheckReport: Codable, Hashable, Sendable {
    package static let limit = 200

    /// Whether a store that was rebuilt from the log folder is equal to the live one.
    package struct Comparison: Codable, Hashable, Sendable {
        /// `equal`, `different` or `impossible`.
        package var result: String
        package var reason: String?
        package var detail: String?
        package var digest: String?
        package var rebuilt: String?

        package static func equal(digest: String) -> Comparison {
            Comparison(result: "equal", digest: digest, rebuilt: digest)
        }

        package static func different(digest: String, rebuilt: String) -> Comparison {
            Comparison(result: "different", digest: digest, rebuilt: rebuilt)
        }

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
    package var repairs: [String] = []
    package var segments = 0
    package var unapplied = 0
    /// The segments that are applied, and that no trusted key has signed; nil where all files count.
    package var untrusted: Int?
    package var values: Int64 = 0
    package var unexported = 0
    /// The baselines that were compared with the store, because segments are missing; nil when none are missing.
    package var baselines: [CompactionReport.Step]?
    package var comparison = Comparison.impossible(.segmentsMissing, "The check has not ended.")

    package init() {}

    package mutating func add(
        _ code: Problem.Code,
        detail: String,
        writer: UniqueID? = nil,
        file: String? = nil,
        hint: String
    ) {
        add(Problem(code, detail: detail, writer: writer, hint: hint), file: file)
    }

    /// Without the time since when the problem exists.
    package mutating func add(_ problem: Problem, file: String?) {
        ok = false
        problemCount += 1
        guard problems.count < CheckReport.limit else { return }
        var problem = problem
        (problem.since, problem.file) = (nil, file)
        problems.append(problem)
    }
}

/// The problems of a check, whose hints say what to do.
extension Problem.Code {
    package static let storeDamaged: Self = "store-damaged"
    package static let structureMissing: Self = "structure-missing"
    /// A large value beside the store.
    package static let valueMissing: Self = "value-missing"
    package static let segmentDamaged: Self = "segment-damaged"
    /// A file has another hash than the segment of its name that was applied.
    package static let segmentChanged: Self = "segment-changed"
    /// A file that is not applied, or is another one than was applied, and that no trusted key has signed where that counts.
    package static let segmentUntrusted: Self = "segment-untrusted"
    package static let segmentMissing: Self = "segment-missing"
    /// A segment of the store's own.
    package static let exportMissing: Self = "export-missing"
    /// Transactions are applied of which the store has no segment on record.
    package static let positionHole: Self = "position-hole"
    package static let blobMissing: Self = "blob-missing"
    /// A store that was built anew from the log folder has another state.
    package static let digestDiffers: Self = "digest-differs"
}
