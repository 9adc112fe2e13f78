import Tributary
import TributaryAdmin
import TributaryChanges
import TributarySync

extension SyncMessage {
    init(_ result: SyncResult) {
        func amount(_ counts: ImportCounts) -> Amount {
            Amount(segments: counts.segments, transactions: counts.transactions, changes: counts.changes)
        }
        let merged = result.merged
        self.init(
            imported: amount(result.imported),
            merged: Merged(
                inserted: merged.inserted,
                updated: merged.updated,
                deleted: merged.deleted,
                everything: merged.isEverything ? true : nil
            ),
            exported: amount(result.exported),
            remaining: Dictionary(uniqueKeysWithValues: result.remaining.map { ($0.key.rawValue, $0.value) }),
            token: HistoryToken(store: result.historyName, number: result.transaction).text
        )
    }
}
