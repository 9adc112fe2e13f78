package import TributaryChanges

/// The head of a visible object's row: its identity, its concrete entity and its versions, without its values.
package struct VisibleRow {
    package var id: UniqueID
    var rowid: Int64
    /// The index of the concrete entity in the layout's list.
    package var entity: Int
    package var versions: RowVersions

    /// Reads the columns of `ObjectTable.head`.
    package init(_ statement: BoundStatement, layout: StoreModel) {
        rowid = statement.integer(0)
        let base = statement.integer(2)
        versions = statement.withBytes(3) { RowVersions(base: base, encoded: $0) }
        entity = layout.entityIndex(code: statement.integer(4)) ?? 0
        id = statement.id(5) ?? UniqueID(high: 0, low: 0)
    }
}
