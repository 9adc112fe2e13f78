import CSQLite
import TributaryChanges
import TributaryModel

extension ColumnLayout {
    /// The value that a row has in this column.
    func value(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        if statement.isNull(index) { return .null }
        guard case .attribute(let type, _) = kind else {
            return statement.id(index).map(PropertyValue.reference) ?? .null
        }
        return switch type {
        case .integer16, .integer32, .integer64: .integer(statement.integer(index))
        case .boolean: .boolean(statement.integer(index) != 0)
        case .double, .float: .double(statement.double(index))
        case .date: .date(statement.double(index))
        case .string, .undefined: .string(statement.text(index))
        case .uri: .uri(statement.text(index))
        case .decimal: .decimal(statement.text(index))
        case .composite: .composite(statement.text(index))
        case .uuid: statement.id(index).map(PropertyValue.uuid) ?? .null
        case .binary, .transformable: binary(in: statement, at: index)
        }
    }

    /// Bytes, or as text the name of a blob beside the log.
    private func binary(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        guard sqlite3_column_type(statement.pointer, index) == SQLITE_TEXT else {
            return .binary(statement.bytes(index))
        }
        guard let object = JSONValue(text: statement.text(index)), case .string(let sha256)? = object["blob"],
            case .integer(let size)? = object["size"]
        else { return .null }
        return .blob(sha256: sha256, size: size)
    }
}
