package import TributaryChanges

package struct Problem: Codable, Hashable, Sendable {
    /// Not an enum, so that a command can show the problems of a later daemon.
    package struct Code: RawRepresentable, ExpressibleByStringLiteral, Hashable, Sendable, Codable {
        package var rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package init(stringLiteral rawValue: String) { self.rawValue = rawValue }
    }

    package var code: Code
    package var since: WallTime?
    package var detail: String
    package var hint: String?
    package var file: String?
    package var writer: UniqueID?
    package var writerName: String?
    /// The missing parts of the first waiting segment.
    package var missing: [MissingPart]?

    package init(
        _ code: Code,
        since: WallTime? = nil,
        detail: String,
        writer: UniqueID? = nil,
        file: String? = nil,
        hint: String?
    ) {
        self.code = code
        self.since = since
        self.detail = detail
        self.writer = writer
        self.file = file
        self.hint = hint
    }
}

extension Problem.Code: CustomStringConvertible {
    package var description: String { rawValue }
}

/// The problems of the status, with remedies in Problems.md.
extension Problem.Code {
    package static let startFailed: Self = "start-failed"
    package static let restartNeeded: Self = "restart-needed"
    package static let settingWithoutEffect: Self = "setting-without-effect"
    package static let storeGone: Self = "store-gone"
    package static let checkpointFailed: Self = "checkpoint-failed"
    package static let checkpointBlocked: Self = "checkpoint-blocked"
    package static let mergeFailed: Self = "merge-failed"
    package static let valuesDeferred: Self = "values-deferred"
    package static let paused: Self = "paused"
    package static let logsMissing: Self = "logs-missing"
    package static let logsUnreadable: Self = "logs-unreadable"
    package static let logsMisnamed: Self = "logs-misnamed"
    package static let logsSilent: Self = "logs-silent"
    package static let watchFailed: Self = "watch-failed"
    package static let watchLimit: Self = "watch-limit"
    package static let segmentsDamaged: Self = "segments-damaged"
    package static let segmentsForked: Self = "segments-forked"
    package static let segmentsHeld: Self = "segments-held"
    package static let segmentsRejected: Self = "segments-rejected"
    package static let segmentsWaiting: Self = "segments-waiting"
    package static let importFailed: Self = "import-failed"
    package static let exportFailed: Self = "export-failed"
    package static let ownSegmentsMissing: Self = "own-segments-missing"
    package static let nameTaken: Self = "name-taken"
    package static let scanNotRequested: Self = "scan-not-requested"
    package static let stagingReplicated: Self = "staging-replicated"
    package static let ownClockAhead: Self = "own-clock-ahead"
    package static let publishedClockAhead: Self = "published-clock-ahead"
    package static let baselinesDiffer: Self = "baselines-differ"
    package static let baselineRefused: Self = "baseline-refused"
    package static let comparisonRefused: Self = "comparison-refused"
    package static let counterBeyondType: Self = "counter-beyond-type"
    package static let writerSilent: Self = "writer-silent"
    package static let folderNearlyFull: Self = "folder-nearly-full"
    package static let folderFull: Self = "folder-full"
    package static let diskLow: Self = "disk-low"
    package static let baselineWaits: Self = "baseline-waits"
    package static let baselineUnverified: Self = "baseline-unverified"
}

extension WallTime: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(unixSeconds: try decoder.singleValueContainer().decode(Double.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(unixSeconds)
    }
}

package struct MissingPart: Codable, Hashable, Sendable {
    package struct Holder: Codable, Hashable, Sendable {
        package var writer: UniqueID
        package var name: String?
        /// `wrote`, `applied`, or `file` for a folder that has a file with the blob's name.
        package var cause: String

        package init(writer: UniqueID, name: String?, cause: String) {
            self.writer = writer
            self.name = name
            self.cause = cause
        }
    }

    package var writer: UniqueID
    package var writerName: String?
    package var first: UInt64?
    package var last: UInt64?
    package var blob: String?
    /// The writer of the missing part comes first.
    package var holders: [Holder]

    package init(writer: UniqueID, writerName: String?, holders: [Holder]) {
        self.writer = writer
        self.writerName = writerName
        self.holders = holders
    }
}
