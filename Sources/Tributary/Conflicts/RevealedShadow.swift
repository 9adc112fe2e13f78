import TributaryChanges
import TributaryModel
import TributaryStore

/// An object of the store that a save would show: it is hidden while an older object has its unique key, and the save
/// frees that key.
struct RevealedShadow {
    let key: SharedKey
    let row: Row

    init(_ key: SharedKey, _ reader: Reader, _ model: Model) throws {
        self.key = key
        let known =
            try reader.liveRow(key.other.uniqueID, rootEntity: key.other.rootEntity)
            ?? model.entity(named: key.other.entity).map { entity in
                Row(uniqueID: key.other.uniqueID, store: key.other.store, entity: entity, revision: 0, values: [])
            }
        guard let known else { throw StoreError.sharesKey(key) }
        row = known
    }

    func error(_ readable: (PropertyValue) -> PropertyValue) -> ConflictError {
        ConflictError(
            conflicts: [],
            constraintConflicts: [
                ConstraintConflict(
                    entity: key.entity,
                    properties: key.properties,
                    values: key.values,
                    objectIDs: [key.object],
                    stored: row.snapshot(readable)
                )
            ]
        )
    }
}
