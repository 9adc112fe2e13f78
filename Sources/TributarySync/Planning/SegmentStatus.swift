package import TransactionLog
package import TributaryAdmin
package import TributaryChanges
import TributaryStore

package struct SegmentStatus: Hashable, Sendable {
    package var id: SegmentName
    package var state: SegmentState
    /// Empty for an applied segment without remarks.
    package var reason: String
    /// The path below the log folder; a replicator's copy has its own path.
    package var file: String
    /// Counted from 1.
    package var line: Int?
    package var waitingFor: [UnmetDependency] = []
    package var deferred = 0
    /// The number of objects that the segment updates and that were never inserted.
    package var unknownObjects = 0
    package var deferredValues: [DeferredValue] = []
    package var since: WallTime?
    package var isAhead = false
    package var hint: String?

    package init(
        id: SegmentName,
        state: SegmentState,
        reason: String = "",
        file: String? = nil,
        since: WallTime? = nil,
        hint: String? = nil
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.file = file ?? id.path
        self.since = since
        self.hint = hint
    }

    /// Empty for the segment itself, otherwise the path of a replicator's copy.
    package var variant: String { file == id.path ? "" : file }

    package static func precedes(_ left: SegmentStatus, _ right: SegmentStatus) -> Bool {
        left.id == right.id ? left.variant.precedesByBytes(right.variant) : left.id < right.id
    }
}

package enum SegmentState: String, Sendable, Hashable, CaseIterable {
    case applied
    /// A preceding transaction or a named blob is missing, or another segment comes first.
    case waiting
    /// The segment has no valid end line yet: it is still being written or copied.
    case incomplete
    case held
    /// The bytes differ from the bytes that the writer wrote, or the end line never came.
    case damaged
    /// Another segment of the writer has different content for the same sequences.
    case forked
    /// The content breaks the format, or the file is not a readable regular file.
    case rejected
}

package enum UnmetDependency: Hashable, Sendable {
    case transactions(writer: UniqueID, from: UInt64, through: UInt64)
    case blob(writer: UniqueID, sha256: String)
}

extension UnmetDependency: CustomStringConvertible {
    /// `<writer> 3-6` with decimal sequences, or `blob <sha256>`.
    package var description: String {
        switch self {
        case .transactions(let writer, let from, let through):
            from == through ? "\(writer) \(from)" : "\(writer) \(from)-\(through)"
        case .blob(_, let sha256): "blob \(sha256)"
        }
    }
}

extension SegmentStatus {
    /// `values` are the first of the counted values.
    init(applied record: SegmentRecord, _ counts: DeferredCounts, _ values: [DeferredValue]) {
        self.init(
            id: record.name,
            state: .applied,
            hint: counts.isEmpty
                ? nil
                : "Correct the writer's program, or upgrade the model here; then the values take effect automatically."
        )
        deferred = counts.values
        unknownObjects = counts.objects
        name(values)
    }

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

extension SegmentsMessage.Segment {
    package init(_ status: SegmentStatus) {
        self.init(
            writer: status.id.writer.description,
            first: hexadecimal16(status.id.first),
            last: hexadecimal16(status.id.last),
            state: status.state.rawValue
        )
        reason = status.reason.isEmpty ? nil : status.reason
        file = status.file
        line = status.line
        waitingFor = status.waitingFor.isEmpty ? nil : status.waitingFor.map(\.description)
        deferred = status.deferred > 0 ? status.deferred : nil
        unknownObjects = status.unknownObjects > 0 ? status.unknownObjects : nil
        deferredValues = status.deferredValues.isEmpty ? nil : status.deferredValues.map { DeferredMessage($0) }
        since = status.since?.unixSeconds
        hint = status.hint
    }
}
