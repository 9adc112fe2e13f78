import TributaryChanges
import TributaryModel

/// A value that waits for the insert of its object.
struct UnknownObjectWrite {
    var transaction: Int64
    var table: TableLayout
    var columnIndex: Int
    var object: UniqueID
    var value: PropertyValue

    func deferred(_ origin: DeferredOrigins.Origin) -> DeferredWrite {
        DeferredWrite(
            cause: .unknownObject,
            writer: origin.writer,
            sequence: origin.sequence,
            operation: "update",
            entity: table.root.name,
            object: object,
            property: table.columns[columnIndex].property,
            value: String(value.json.text.prefix(DeferredWrite.valueLimit)),
            reason: "no segment has inserted the object yet",
            since: origin.since
        )
    }
}
