import Foundation
import GRDB
import Synchronization
import TributaryModel

/// Records the older versions of a new store's model once the store is open.
///
/// A store needs them only when its model changes or a writer uses a former name, and reading them takes longer than
/// the rest of opening. If the store closes before the recording has ended, the next opening continues it.
final class VersionRecording: Sendable {
    /// Entered until the recording has ended.
    let done = DispatchGroup()

    /// Starts the recording; nil when there is nothing to record.
    init?(of store: Store) throws {
        let isNeeded = try store.read { try $0.setting(RecordedModels.unrecordedKey) } != nil
        guard isNeeded else { return nil }
        let model = store.model
        DispatchQueue.global(qos: .utility).async(group: done) { [weak store] in
            var versions: [(model: Model, hash: String)] = []
            for index in 0..<model.earlier.count {
                guard let store, !store.isClosed.load(ordering: .sequentiallyConsistent) else { return }
                if let version = model.earlier[index] { versions.append((version, version.versionHash)) }
            }
            // A store that was closed meanwhile throws; the setting stays, and the next opening tries again.
            try? store?.write { transaction in
                try VersionRecording.record(versions, in: transaction)
            }
        }
    }

    private static func record(_ versions: [(model: Model, hash: String)], in transaction: WriteTransaction) throws {
        let db = transaction.reader.database
        guard try transaction.reader.setting(RecordedModels.unrecordedKey) != nil else { return }
        let known = Set(try String.fetchAll(db, sql: "SELECT hash FROM tributary_model"))
        let first = try Int64.fetchOne(db, sql: "SELECT min(number) FROM tributary_model") ?? 1
        let missing = versions.filter { !known.contains($0.hash) }
        for (index, version) in missing.enumerated() {
            try RecordedModels.insert(version.model, version.hash, at: first - Int64(missing.count - index), in: db)
        }
        try transaction.setSetting(RecordedModels.unrecordedKey, to: nil)
    }
}
