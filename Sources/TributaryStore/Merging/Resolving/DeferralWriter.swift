import TributaryChanges
import TributaryModel

/// Defers changes or values that the model cannot represent, with their original versions.
struct DeferralWriter {
    let table: DeferredWriteTable
    let cursor: TransactionCursor
    let layout: StoreModel

    /// Removes values that do not fit their registers and that a later change of their transaction replaces; costs one
    /// query for each entity of the hierarchy.
    func remove(replacedBy shape: ChangeShape, at position: Int, _ id: UniqueID, _ writes: [RegisterWrite]) throws {
        let written = layout.tables[layout.entities[shape.entity].table]
        let columns = writes.map(\.column).filter { written.columns[$0].mergeRule.comparesVersions }
        for entity in layout.entities where entity.table == written.index && !columns.isEmpty {
            try table.removeValues(entity.entity.name, id, number: cursor.number, before: position) { name in
                guard let index = layout.propertyIndex(named: name, of: entity.entity),
                    case .column(let column) = entity.places[index], columns.contains(column)
                else { return false }
                guard let other = shape.renamed.first(where: { $0.column == column })?.name else { return true }
                return !(other < WrittenName(name, isPresent: entity.entity.properties[index].name == name))
            }
        }
    }

    /// `index` is that of the change in the slice, here and below.
    func deferChange(_ change: Change, at index: Int, of slice: ChangeSlice, reason: String) throws {
        try insert(change, at: slice.first + index, valueIndex: nil, reason)
    }

    /// `valueIndex` is that of the value in the change of the slice, which may be one value of the original change.
    func deferValue(
        _ write: PropertyWrite,
        _ valueIndex: Int = 0,
        of object: (entity: String, id: UniqueID),
        isInsert: Bool = false,
        at index: Int,
        of slice: ChangeSlice,
        reason: String
    ) throws {
        let operation: Change.Operation = isInsert ? .insert([write]) : .update([write])
        let change = Change(entity: object.entity, id: object.id, operation: operation)
        try insert(change, at: slice.first + index, valueIndex: (slice.valueIndex ?? 0) + valueIndex, reason)
    }

    /// Defers a reference to the object of `change` that the former register of another object holds.
    func deferReference(
        to change: Change,
        _ valueIndex: Int,
        in register: (entity: String, id: UniqueID, property: String),
        at index: Int,
        of slice: ChangeSlice
    ) throws {
        try deferValue(
            PropertyWrite(name: register.property, value: .string(change.id.description)),
            valueIndex,
            of: (register.entity, register.id),
            at: index,
            of: slice,
            reason: DeferralWriter.reason(former: register.property, of: change)
        )
    }

    static func reason(former name: String, of change: Change) -> String {
        "'\(name)' of '\(change.entity)' is not in the model any more"
    }

    private func insert(_ change: Change, at index: Int, valueIndex: Int?, _ reason: String) throws {
        guard !cursor.isLocal else { throw StoreError.invalidChange(index: index, reason: reason) }
        let entry = DeferredWriteTable.Entry(
            change,
            number: cursor.number,
            position: cursor.deferral(at: index),
            valueIndex: valueIndex,
            isBound: cursor.isBound
        )
        try table.insert(entry, reason: reason)
    }
}
