package import TributaryChanges

extension ColumnLayout {
    package func value(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        ColumnReading(kind).value(in: statement, at: index)
    }

    /// The total of a writer in `tributary_counter`, of which this is the counter's column.
    ///
    /// A total with a fraction is a double, or decimal text where no double has its value.
    package func total(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        let value = value(in: statement, at: index)
        guard case .double = value, statement.isText(index) else { return value }
        return .decimal(statement.text(index))
    }
}
