import TransactionLog
package import TributaryChanges

/// The configuration file has the same defaults.
package struct SyncConfiguration: Sendable, Hashable {
    package enum Rescan: Sendable, Hashable {
        /// 10 minutes where inotify reports changes, 30 seconds on network file systems.
        case automatic
        case every(Duration)
    }

    /// The folder must exist: the service must not create the folder of an unmounted share.
    package var logs: String
    /// The name that peers see; if nil, they see the name that the store was opened with.
    package var name: String?
    package var rescan = Rescan.automatic
    /// A segment that lacks an end line for longer is considered damaged.
    package var incompleteGrace = Duration.seconds(60)
    /// An import commits after this number of changes and transactions; a transaction is never split.
    package var sliceChanges = 20_000
    package var memory: Int64 = 64 << 20
    package var maxAhead = Duration.seconds(3600)
    package var trust = TrustSettings()
    package var encryption = EncryptionKeys()
    package var exports = true
    /// When the log folder holds this number of bytes, new segments wait; nil for no limit.
    package var maxBytes: Int64?
    /// The first save after this time without an export is exported at once; later saves are collected for this time.
    package var exportDebounce = Duration.seconds(1)
    /// An exported segment of this number of bytes takes no further transaction.
    package var segmentBytes = 1 << 20
    /// The shortest time between two acknowledgements of a replica without changes of its own.
    package var acknowledge = Duration.seconds(3600)

    package var keepSegments = Duration.seconds(30 * 86_400)

    package init(logs: String) { self.logs = logs }
}

extension SyncConfiguration {
    func openLogs() throws(SegmentError) -> LogFolder { try LogFolder(path: logs, keys: encryption) }

    var limits: ImportPlanner.Limits {
        var limits = ImportPlanner.Limits(maxAhead: maxAhead, incompleteGrace: incompleteGrace)
        limits.batchChanges = max(1, sliceChanges)
        limits.batchBytes = max(1 << 20, memory / 4)
        return limits
    }
}
