import TributaryChanges
import TributaryModel

/// A value that waits for an object which nobody has inserted.
struct UnknownObjectWrite {
    /// The number of the transaction that wrote it.
    var transaction: Int64
    var table: TableLayout
    var columnIndex: Int
    var object: UniqueID
    var value: PropertyValue

    /// The write as reports name it.
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
            reason: "nobody has inserted the object",
            since: origin.since
        )
    }
}
