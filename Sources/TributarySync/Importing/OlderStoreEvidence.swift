import TributaryChanges
import TributaryStore

/// Compares what others have seen of the store's own writer with the store, which may be a copy that was put in the place
/// of a later one: whatever it exported is in it, and durable, before anybody sees it.
struct OlderStoreEvidence {
    let environment: SyncEnvironment
    let state: SyncStateOwner

    /// Records that the store is older than a file shows, when it is.
    ///
    /// - Parameters:
    ///   - file: the path of the segment or baseline that names transactions of the own writer.
    ///   - sequence: the last one that it names.
    ///   - own: the own writer, when the file was read.
    func compare(_ file: String, has sequence: UInt64, of own: UniqueID) {
        guard state.read({ $0.planner.own == own && $0.planner.position(of: own).sequence < sequence }),
            let known = try? environment.store.read({ reader in
                let writer = try reader.writers.own()
                let exported = try reader.writers.segment(writer: own, beginningBy: writer.sequence)?.last ?? 0
                return (id: writer.id, sequence: writer.sequence, isExported: exported >= writer.sequence)
            }), known.id == own, known.sequence < sequence
        else { return }
        let wall = environment.wall
        state.update {
            $0.isOlder(
                than: file,
                sequence: sequence,
                known: known.sequence,
                isExported: known.isExported,
                wall: wall
            )
        }
    }
}
