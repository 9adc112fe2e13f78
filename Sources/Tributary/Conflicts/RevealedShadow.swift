import TributaryChanges
import TributaryModel
import TributaryStore

/// An object of the store that a save would show, and that has a unique key of an object of the save.
///
/// An import has brought it; it is not visible while an older object has its key, and the save frees that key.
struct RevealedShadow {
    let key: SharedKey
    let row: Row

    /// Reads the object.
    ///
    /// - Parameters:
    ///   - key: The key that the store has refused.
    ///   - reader: Reads the store as it was before the save.
    ///   - model: The model of both objects.
    /// - Throws: ``StoreError`` when the store cannot be read.
    init(_ key: SharedKey, _ reader: Reader, _ model: Model) throws {
        self.key = key
        let known =
            try reader.liveRow(key.other.uniqueID, rootEntity: key.other.rootEntity)
            ?? model.entity(named: key.other.entity).map { Row(id: key.other, entity: $0, revision: 0, values: []) }
        guard let known else { throw StoreError.sharesKey(key) }
        row = known
    }

    /// The error of a save that cannot resolve the conflict.
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
