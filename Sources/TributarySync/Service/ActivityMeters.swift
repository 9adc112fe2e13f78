package import TributaryAdmin
package import TributaryStore

/// The imports, exports and merges since the start: totals, durations, and the amounts of each minute of the last day.
///
/// A minute without activity has no entry; a full day takes 1,440 entries of 72 bytes, 102 KiB.
package struct ActivityMeters: Sendable {
    package struct Minute: Sendable, Hashable {
        package var start: Duration
        package var imported = ImportCounts()
        package var exported = ImportCounts()
        package var merged = 0
    }

    package static let minute = Duration.seconds(60)
    package static let limit = 1_440

    package private(set) var imported = ImportCounts()
    package private(set) var exported = ImportCounts()
    package private(set) var merged = 0
    package private(set) var imports = DurationHistogram()
    package private(set) var exports = DurationHistogram()
    package private(set) var minutes: [Minute] = []

    package init() {}

    mutating func imported(_ counts: ImportCounts, in duration: Duration, at now: Duration) {
        imported = imported + counts
        imports.add(duration)
        change(at: now) { $0.imported = $0.imported + counts }
    }

    mutating func exported(_ counts: ImportCounts, in duration: Duration, at now: Duration) {
        exported = exported + counts
        exports.add(duration)
        change(at: now) { $0.exported = $0.exported + counts }
    }

    mutating func merged(_ objects: Int, at now: Duration) {
        merged += objects
        change(at: now) { $0.merged += objects }
    }

    /// O(n) for the entries that have become too old.
    private mutating func change(at now: Duration, _ change: (inout Minute) -> Void) {
        let start = ActivityMeters.minute * (now.components.seconds / 60)
        if minutes.last.map({ $0.start < start }) ?? true {
            let oldest = start - ActivityMeters.minute * (ActivityMeters.limit - 1)
            minutes.removeFirst(minutes.prefix { $0.start < oldest }.count)
            minutes.append(Minute(start: start))
        }
        change(&minutes[minutes.count - 1])
    }
}
