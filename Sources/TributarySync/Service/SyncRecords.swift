import Logging
import TransactionLog
import TributaryChanges
import TributaryStore

struct SyncRecords: Sendable {
    let store: Store

    func ownPosition() throws -> (writer: UniqueID, position: WriterPosition) {
        let own = try store.read { try $0.writers.own() }
        return (own.id, WriterPosition(sequence: own.sequence))
    }

    func positions() throws -> [UniqueID: WriterPosition] {
        try store.read { reader in
            var positions: [UniqueID: WriterPosition] = [:]
            for writer in try reader.writers.all() {
                positions[writer.id] = try SyncRecords.position(of: writer, reader)
            }
            return positions
        }
    }

    static func position(of writer: WriterRecord, _ reader: Reader) throws -> WriterPosition {
        // A baseline may have moved the position past the segment.
        let partial = try partial(of: writer.id, reader).flatMap { $0.name.last > writer.sequence ? $0 : nil }
        return WriterPosition(sequence: writer.sequence, partial: partial?.partial)
    }

    static func partial(of writer: UniqueID, _ reader: Reader) throws -> PartialRecord? {
        try reader.setting(StoreKeys.partial(writer)).flatMap { PartialRecord($0, writer: writer) }
    }

    /// Calls `committed` while the write lock is still held.
    func store(_ pause: ImportPause?, committed: @escaping @Sendable () -> Void) async throws {
        let text = pause?.text
        try await store.writeAsync { transaction in
            try transaction.setSetting(StoreKeys.paused, to: text)
        } committed: { _, _ in
            committed()
        }
    }

    /// Does not remove a renewed pause; blocks the calling thread until the write lock is free.
    func remove(_ pause: ImportPause) throws {
        try store.write { transaction in
            guard try transaction.reader.setting(StoreKeys.paused) == pause.text else { return }
            try transaction.setSetting(StoreKeys.paused, to: nil)
        }
    }

    /// Reads the state while the write lock is held, so that an older state never replaces a newer state.
    func storeAccepted(of state: SyncStateOwner, logger: Logger) {
        guard state.read(\.hasAcceptedToStore) else { return }
        var accepted: [SegmentName: String] = [:]
        do {
            try store.write { transaction in
                accepted = state.read(\.planner.accepted)
                try transaction.setSetting(StoreKeys.accepted, to: SyncRecords.text(accepted))
            }
            state.update { $0.storedAccepted = accepted }
        } catch {
            logger.error("accepted segments were not stored", metadata: ["reason": "\(error)"])
        }
    }

    private static func text(_ accepted: [SegmentName: String]) -> String? {
        let lines = accepted.sorted { $0.key < $1.key }.map { "\($0.key.path) \($0.value)" }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    static func accepted(_ text: String) -> [SegmentName: String] {
        var accepted: [SegmentName: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let name = SegmentName(path: String(parts[0])) else { continue }
            accepted[name] = String(parts[1])
        }
        return accepted
    }
}

extension SegmentRecord {
    var name: SegmentName { SegmentName(writer: writer, first: first, last: last) }
}

extension ExportRange {
    var name: SegmentName { SegmentName(writer: writer, first: first, last: last) }
}

enum StoreKeys {
    static let paused = "sync.paused"
    /// `<own sequence> <Unix milliseconds>`: the time since which imports are unacknowledged; void after a later own
    /// sequence.
    static let unacknowledged = "sync.unacknowledged"
    /// Lines of `<writer>/<first>-<last>.tlog <sha256>`: held segments that an administrator has accepted.
    static let accepted = "sync.accepted"
    static let taken = "sync.taken"

    /// Set once the list of trusted and revoked keys has an end line.
    static let trust = "sync.trust"

    /// `<first>-<last>.tlog <sha256> <deferred>`: the partly applied segment of a writer.
    static func partial(_ writer: UniqueID) -> String { "sync.partial.\(writer)" }
}
