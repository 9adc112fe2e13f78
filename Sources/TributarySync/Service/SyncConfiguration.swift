import TributaryChanges

/// The settings of the watched folder; the defaults are those of the configuration file.
package struct SyncConfiguration: Sendable, Hashable {
    package enum Rescan: Sendable, Hashable {
        /// 10 minutes where inotify reports changes, 30 seconds on network file systems.
        case automatic
        case every(Duration)
    }

    /// The log folder.
    ///
    /// It must exist: an unmounted share must not be made anew.
    package var logs: String
    /// The name under which peers see this writer; nil stands for the name that the store was opened with.
    package var name: String?
    package var rescan = Rescan.automatic
    /// How long a segment may be without an end line before it counts as damaged.
    package var incompleteGrace = Duration.seconds(60)
    /// Changes after which an import commits; a transaction is never split.
    package var sliceChanges = 20_000
    /// Bytes that the import may hold.
    package var memory: Int64 = 64 << 20
    /// How far a writer's clock may be ahead of this machine's.
    package var maxAhead = Duration.seconds(3600)
    package var exports = true
    /// The first save after so much time without an export goes out at once; those that follow are gathered for as long.
    package var exportDebounce = Duration.seconds(1)
    /// Bytes after which an exported segment takes no further transaction.
    package var segmentBytes = 1 << 20
    /// A replica without changes of its own writes an acknowledgement at most once in this time.
    package var acknowledge = Duration.seconds(3600)

    package init(logs: String) { self.logs = logs }
}

extension SyncConfiguration {
    var limits: ImportPlanner.Limits {
        var limits = ImportPlanner.Limits(
            maxAhead: maxAhead.wholeMilliseconds,
            incompleteGrace: incompleteGrace.wholeMilliseconds
        )
        limits.batchChanges = max(1, sliceChanges)
        limits.batchBytes = max(1 << 20, memory / 4)
        return limits
    }
}

extension Duration {
    /// Whole milliseconds, 0 for a negative duration, at most what 64 bits can hold.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds)).multipliedSaturating(by: 1000)
            .addingSaturating(UInt64(max(0, attoseconds / 1_000_000_000_000_000)))
    }
}
