import TributaryChanges
import TributaryModel

/// Defers changes or values that the model cannot represent, with their original versions.
///
/// Later lines that may write the same objects are kept too: a later model must merge them after the deferred line.
final class DeferralWriter {
    let table: DeferredWriteTable
    let cursor: TransactionCursor
    let layout: StoreModel

    private struct Deferred {
        var names: Set<String> = []
        var isWhole = false
        /// Whether it may write to the same objects as other lines of its transaction.
        var touches = false
    }

    private var deferred: [Int: Deferred] = [:]

    init(table: DeferredWriteTable, cursor: TransactionCursor, layout: StoreModel) {
        (self.table, self.cursor, self.layout) = (table, cursor, layout)
    }

    func deferReference(
        to change: Change,
        _ valueIndex: Int,
        in register: (entity: String, id: UniqueID, property: String),
        at index: Int,
        of slice: ChangeSlice
    ) throws {
        let write = PropertyWrite(name: register.property, value: .string(change.id.description))
        let reference = Change(entity: register.entity, id: register.id, operation: .update([write]))
        let reason = DeferralWriter.reason(former: register.property, of: change)
        try deferChange(reference, valueIndex, at: index, of: slice, reason: reason)
    }

    static func reason(former name: String, of change: Change) -> String {
        "'\(name)' of '\(change.entity)' is no longer in the model"
    }

    /// `index` is the index of the line in the slice, `valueIndex` the index of a value that is deferred alone.
    func deferChange(
        _ change: Change,
        _ valueIndex: Int? = nil,
        at index: Int,
        of slice: ChangeSlice,
        reason: String
    ) throws {
        let position = slice.position(index, cursor)
        guard !cursor.isLocal else { throw StoreError.invalidChange(index: position, reason: reason) }
        cursor.deferredCount += 1
        let entry = DeferredWriteTable.Entry(
            layout.withoutFormerPositions(change),
            number: cursor.number,
            position: position,
            valueIndex: valueIndex,
            isBound: cursor.isBound
        )
        try table.insert(entry, reason: reason)
        guard cursor.isInOrder else { return }
        // In place: a line may have very many deferred values, and a copy of their names for each would be quadratic.
        deferred[index, default: Deferred()].names.formUnion(change.operation.propertyNames)
        if valueIndex == nil, change.id == slice.changes[index].id { deferred[index]?.isWhole = true }
        // If a later model has the entity again, this insert and other inserts of the object must be merged in order.
        let isInsert = if case .insert = change.operation { valueIndex == nil } else { false }
        if isInsert || layout.isUnsettled(change) { deferred[index]?.touches = true }
    }

    /// Keeps lines that may write the same objects as a deferred or kept line; costs one look at each line after it.
    func keepLines(of slice: ChangeSlice) throws {
        guard !cursor.touched.isEmpty || !deferred.isEmpty else { return }
        defer { deferred.removeAll(keepingCapacity: true) }
        for (index, change) in slice.lines.enumerated() {
            let line = deferred[index]
            let objects = change.touchedObjects
            let isTouched = try cursor.touched.containsAny(of: objects)
            guard isTouched || line?.touches == true else { continue }
            try cursor.touched.insert(objects)
            if line?.isWhole == true { continue }
            let rest = layout.repeatable(change, except: line?.names ?? [])
            let hasMore = rest.operation.valueWrites?.writes.contains { line?.names.contains($0.name) != true } ?? false
            let isNeeded =
                switch rest.operation {
                case .insert: isTouched || hasMore
                case .update: hasMore
                case .link, .unlink: line == nil
                // A deletion needs no order: the log demands that deletions come before all other lines.
                case .delete: false
                }
            guard isNeeded else { continue }
            let position = slice.position(index, cursor)
            try table.insert(.init(rest, number: cursor.number, position: position), reason: "")
        }
    }
}

extension Change {
    var touchedObjects: [UniqueID] {
        switch operation {
        case .delete: [id]
        case .insert(let writes), .update(let writes):
            [id] + writes.compactMap { if case .string(let text) = $0.value { UniqueID(text) } else { nil } }
        case .link(_, let ids, _), .unlink(_, let ids): [id] + ids
        }
    }
}
