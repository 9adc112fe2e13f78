import Hummingbird
import TributaryAdmin
import TributarySync

/// `POST /v1/sync`: imports, merges and exports all that can be now; goes on when the client hangs up.
enum SyncRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let result = try await request.engine().sync.sync()
        let merged = result.merged
        return try .json(
            SyncMessage(
                imported: amount(result.imported),
                merged: SyncMessage.Merged(
                    inserted: merged.inserted,
                    updated: merged.updated,
                    deleted: merged.deleted,
                    everything: merged.isEverything ? true : nil
                ),
                exported: amount(result.exported),
                remaining: Dictionary(uniqueKeysWithValues: result.remaining.map { ($0.key.rawValue, $0.value) }),
                token: result.token.text
            )
        )
    }

    private static func amount(_ counts: ImportCounts) -> SyncMessage.Amount {
        SyncMessage.Amount(segments: counts.segments, transactions: counts.transactions, changes: counts.changes)
    }
}
