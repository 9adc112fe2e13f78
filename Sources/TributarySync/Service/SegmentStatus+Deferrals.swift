import TransactionLog
import TributaryStore

extension SegmentStatus {
    /// Creates the status of an applied segment; `values` are the first of the counted values.
    init(applied record: SegmentRecord, _ counts: DeferredCounts, _ values: [DeferredValue]) {
        self.init(
            id: SegmentName(writer: record.writer, first: record.first, last: record.last),
            state: .applied,
            hint: counts.isEmpty
                ? nil
                : "Correct what the writer sends, or upgrade the model here: then the values take effect by themselves."
        )
        deferred = counts.values
        unknownObjects = counts.objects
        name(values)
    }

    /// Whether the status counts deferred values without naming any of them.
    var lacksDeferredNames: Bool { state == .applied && deferred + unknownObjects > 0 && deferredValues.isEmpty }

    mutating func name(_ values: [DeferredValue]) {
        var parts: [String] = []
        if deferred > 0 { parts.append("\(deferred) \(deferred == 1 ? "value is" : "values are") deferred") }
        if unknownObjects > 0 {
            let objects = unknownObjects == 1 ? "object" : "objects"
            parts.append("\(unknownObjects) \(objects) that no segment has inserted yet")
        }
        reason = parts.joined(separator: ", ")
        if let first = values.first { reason += ". First: \(first.text)" }
        deferredValues = values
    }
}
