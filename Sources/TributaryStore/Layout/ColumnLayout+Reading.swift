import TributaryChanges

extension ColumnLayout {
    /// The value that a row has in this column.
    func value(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        ColumnReading(kind).value(in: statement, at: index)
    }
}
