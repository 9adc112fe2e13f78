package import TributaryChanges

extension ColumnLayout {
    /// The value of a row in this column.
    package func value(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        ColumnReading(kind).value(in: statement, at: index)
    }
}
