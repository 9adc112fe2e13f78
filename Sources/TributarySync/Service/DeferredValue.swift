package import TransactionLog
package import TributaryChanges
package import TributaryStore

/// A count of the deferred imported writes, with the newest of them by name.
package struct DeferralReport: Hashable, Sendable {
    package var counts = DeferredCounts()
    /// The newest of the writes, at most ``DeferralReader/named``, the newest first.
    package var newest: [DeferredValue] = []
    /// The time of the first import with deferred writes.
    package var since: WallTime?
    /// The time of the last import with deferred writes.
    package var until: WallTime?
}

/// A deferred write with its place in the log folder and the violated rule, for people.
package struct DeferredValue: Hashable, Sendable {
    package var write: DeferredWrite
    /// The segment; nil when it is not recorded, such as a partly applied one.
    package var segment: SegmentName?
    /// The line in the segment; nil when the file does not exist any more, or the store does not know the change.
    package var line: Int?
    package var rule: String

    /// Whether the segment's file may contain the missing line number.
    var lacksLine: Bool { line == nil && segment != nil && write.index != nil }

    /// `insert of Employee.hired = "2026-01-01" (object 0190…, line 3): the rule`.
    package var text: String {
        let property = write.property.map { "." + $0 } ?? ""
        let value =
            write.property == nil ? "" : write.value.map { " = " + ($0.count > 60 ? $0.prefix(60) + "…" : $0) } ?? ""
        let line = line.map { ", line \($0)" } ?? ""
        return "\(write.operation) of \(write.entity)\(property)\(value) (object \(write.object)\(line)): \(rule)"
    }
}
