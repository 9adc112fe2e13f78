package import TributaryChanges

/// The response of `POST /v1/check`.
package struct CheckReport: Codable, Hashable, Sendable {
    package static let limit = 200

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

    package enum Obstacle: String, CaseIterable, Sendable {
        case storeDamaged = "store-damaged"
        case segmentsMissing = "segments-missing"
        case logsUnreadable = "logs-unreadable"
        case scratchUnusable = "scratch-unusable"
    }

    package private(set) var ok = true
    package private(set) var problems: [Problem] = []
    package private(set) var problemCount = 0
    package var repairs: [String] = []
    package var segments = 0
    package var unapplied = 0
    /// Applied segments without a signature of a trusted key; nil when signatures are not checked.
    package var untrusted: Int?
    package var values: Int64 = 0
    package var unexported = 0
    /// The baselines that were compared because segments are missing; nil when no segments are missing.
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

    package mutating func add(_ problem: Problem, file: String?) {
        ok = false
        problemCount += 1
        guard problems.count < CheckReport.limit else { return }
        var problem = problem
        (problem.since, problem.file) = (nil, file)
        problems.append(problem)
    }
}

extension Problem.Code {
    package static let storeDamaged: Self = "store-damaged"
    package static let structureMissing: Self = "structure-missing"
    package static let valueMissing: Self = "value-missing"
    package static let segmentDamaged: Self = "segment-damaged"
    package static let segmentChanged: Self = "segment-changed"
    /// A file that is not applied or has changed since, while signatures are checked.
    package static let segmentUntrusted: Self = "segment-untrusted"
    package static let segmentMissing: Self = "segment-missing"
    package static let exportMissing: Self = "export-missing"
    /// The store has applied transactions without a record of their segment.
    package static let positionHole: Self = "position-hole"
    package static let blobMissing: Self = "blob-missing"
    package static let digestDiffers: Self = "digest-differs"
}
