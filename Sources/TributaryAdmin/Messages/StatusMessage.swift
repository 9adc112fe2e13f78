/// The response of `GET /v1/status`.
package struct StatusMessage: Codable, Hashable, Sendable {
    package enum State: String, Codable, CaseIterable, Sendable {
        case starting
        case migrating
        case running
        case paused
        case stopping
    }

    package struct Deferred: Codable, Hashable, Sendable {
        package var values: Int
        /// The number of updated objects that no known segment inserts.
        package var unknownObjects: Int
        package var first: [DeferredMessage]

        package init(values: Int, unknownObjects: Int, first: [DeferredMessage]) {
            self.values = values
            self.unknownObjects = unknownObjects
            self.first = first
        }
    }

    package struct Writers: Codable, Hashable, Sendable {
        package var count: Int
        /// Includes no abandoned writers.
        package var behind: Int
        /// Writers with unapplied transactions come first.
        package var first: [Writer]

        package init(count: Int, behind: Int, first: [Writer]) {
            self.count = count
            self.behind = behind
            self.first = first
        }
    }

    package struct Writer: Codable, Hashable, Sendable {
        package var id: String
        package var name: String?
        /// `evicted`, `abandoned` or `former`; absent for other writers.
        package var state: String?
        package var behind: UInt64
        /// The time since the arrival of the oldest segment that is not applied.
        package var lagSeconds: Double?
        package var lastHeard: Double?

        package init(id: String, name: String?, behind: UInt64) {
            self.id = id
            self.name = name
            self.behind = behind
        }
    }

    package struct Conflicts: Codable, Hashable, Sendable {
        package var kept: Int
        /// Newer conflicts have replaced them, or they were only counted.
        package var dropped: Int

        package init(kept: Int, dropped: Int) {
            self.kept = kept
            self.dropped = dropped
        }
    }

    /// Amounts since the start of the daemon.
    package struct Totals: Codable, Hashable, Sendable {
        package var imported: ImportCounts
        package var exported: ImportCounts
        package var mergedObjects: Int

        package init(imported: ImportCounts, exported: ImportCounts, mergedObjects: Int) {
            self.imported = imported
            self.exported = exported
            self.mergedObjects = mergedObjects
        }
    }

    package struct Disk: Codable, Hashable, Sendable {
        /// `store`, `logs`.
        package var holds: [String]
        /// In the order of `holds`; empty on a page without paths.
        package var paths: [String]
        package var freeBytes: Int64
        package var totalBytes: Int64
        /// `unknown` (in the first six hours after a start), `steady` or `filling`.
        package var outlook: String
        /// At the present growth; absent unless it is filling.
        package var daysLeft: Double?

        package init(holds: [String], paths: [String], freeBytes: Int64, totalBytes: Int64, outlook: String) {
            self.holds = holds
            self.paths = paths
            self.freeBytes = freeBytes
            self.totalBytes = totalBytes
            self.outlook = outlook
        }
    }

    package struct Trust: Codable, Hashable, Sendable {
        /// `any` or `known`, as `trust.mode`.
        package var mode: String
        package var key: String?

        package init(mode: String, key: String?) {
            self.mode = mode
            self.key = key
        }
    }

    package struct Encryption: Codable, Hashable, Sendable {
        package var key: String?
        package var keys: Int
        package var required: Bool

        package init(key: String?, keys: Int, required: Bool) {
            self.key = key
            self.keys = keys
            self.required = required
        }
    }

    package struct LogFolder: Codable, Hashable, Sendable {
        package var files: Int
        package var bytes: Int64
        package var maxBytes: Int64

        package init(files: Int, bytes: Int64, maxBytes: Int64) {
            self.files = files
            self.bytes = bytes
            self.maxBytes = maxBytes
        }
    }

    package var api = 1
    package var version: String
    package var state: State
    package var uptimeSeconds: Double
    package var writer: String?
    package var name: String?
    package var modelVersion: String?
    package var segments: [String: Int] = [:]
    /// The number of known segments that have not been verified.
    package var queue: Int?
    package var initialImportComplete: Bool?
    /// Unix seconds, as all times of this message.
    package var lastImport: Double?
    package var lastMerge: Double?
    package var nextMergeDue: Double?
    package var pendingSaves: Int?
    package var storeBytes: Int64?
    package var walBytes: Int64?
    /// The last measurement; absent without `logs.max_bytes`.
    package var logFolder: LogFolder?
    /// Without a file system that does not answer.
    package var disks: [Disk]?
    package var trust: Trust?
    package var encryption: Encryption?
    package var pausedSince: Double?
    package var deferred: Deferred?
    package var conflicts: Conflicts?
    package var writers: Writers?
    package var restartNeeded = false
    package var totals: Totals?
    package var problems: [Problem] = []
    /// Absent without notices.
    package var notices: [Problem]?

    package init(version: String, state: State, uptimeSeconds: Double) {
        self.version = version
        self.state = state
        self.uptimeSeconds = uptimeSeconds
    }
}
