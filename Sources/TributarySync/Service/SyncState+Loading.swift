import TransactionLog
import TributaryChanges
import TributaryStore

extension SyncState {
    /// The state as the store remembers it.
    static func load(_ reader: Reader, configuration: SyncConfiguration) throws -> SyncState {
        let own = try reader.ownWriter().id
        var planner = ImportPlanner(own: own, limits: configuration.limits)
        for writer in try reader.writers() {
            planner.setPosition(try position(of: writer, reader), of: writer.id)
        }
        planner.setAccepted(try reader.setting(StoreKeys.accepted).map(accepted) ?? [:])
        var state = SyncState(configuration: configuration, planner: planner)
        if let parts = try reader.setting(StoreKeys.paused)?.split(separator: " "), parts.count == 2 {
            state.pausedSince = UInt64(parts[0])
            state.pausedUntil = UInt64(parts[1])
        }
        return state
    }

    static func position(of writer: WriterRecord, _ reader: Reader) throws -> WriterPosition {
        let partial = try reader.setting(StoreKeys.partial(writer.id)).flatMap { PartialRecord($0, writer: writer.id) }
        return WriterPosition(sequence: writer.sequence, lastHash: writer.lastSegmentHash, partial: partial?.partial)
    }

    private static func accepted(_ text: String) -> [SegmentName: String] {
        var accepted: [SegmentName: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let name = SegmentName(path: String(parts[0])) else { continue }
            accepted[name] = String(parts[1])
        }
        return accepted
    }

    /// The text that ``load(_:configuration:)`` reads; nil when nothing is accepted.
    var acceptedText: String? {
        let lines = planner.accepted.sorted { $0.key < $1.key }.map { "\($0.key.path) \($0.value)" }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
