import TributaryChanges

/// Defers changes, or values of them, that the model cannot represent, with their original versions.
struct DeferralWriter {
    let table: DeferredWriteTable
    let cursor: TransactionCursor

    func deferChange(_ change: Change, at index: Int, reason: String) throws {
        let content = DeferredWriteTable.Content(of: change.operation)
        try insert(content, entity: change.entity, id: change.id, index: index, valueIndex: nil, reason)
    }

    /// Defers one value of an insert or an update.
    func deferValue(
        _ write: PropertyWrite,
        of object: (entity: String, id: UniqueID),
        isInsert: Bool,
        at index: Int,
        valueIndex: Int,
        reason: String
    ) throws {
        let content = DeferredWriteTable.Content(write, isInsert: isInsert)
        try insert(content, entity: object.entity, id: object.id, index: index, valueIndex: valueIndex, reason)
    }

    private func insert(
        _ content: DeferredWriteTable.Content,
        entity: String,
        id: UniqueID,
        index: Int,
        valueIndex: Int?,
        _ reason: String
    ) throws {
        guard !cursor.isLocal else { throw StoreError.invalidChange(index: index, reason: reason) }
        #if MUTATIONS
            if Mutation.isOn(.deferredWriteLost) { return }
        #endif
        let kept = cursor.deferral(at: index)
        try table.insert(
            entity: entity,
            id: id,
            content,
            number: kept.number,
            index: kept.index,
            valueIndex: valueIndex,
            reason: reason
        )
    }
}
