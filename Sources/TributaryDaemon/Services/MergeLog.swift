import Logging
import Tributary
import TributaryChanges

/// Writes the changes of each merge into the main context to the journal.
struct MergeLog {
    let updates: StoreUpdates
    let logger: Logger

    func run() async {
        for await update in updates {
            let changes = update.changes
            var metadata: Logger.Metadata = ["transaction": "\(update.token.number)"]
            if changes.isEverything || !changes.collapsedEntities.isEmpty {
                metadata["changes"] = "more than can be listed"
            } else {
                metadata["inserted"] = "\(changes.inserted.count)"
                metadata["updated"] = "\(changes.updated.count)"
                metadata["deleted"] = "\(changes.deleted.count)"
            }
            logger.info("merged", metadata: metadata)
        }
    }
}
