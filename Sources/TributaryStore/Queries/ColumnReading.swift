import CSQLite
import TributaryChanges
import TributaryModel

/// The reader for the values of a column, determined once for each table, because rows are read by the hundred
/// thousand.
enum ColumnReading: Sendable {
    case integer, boolean, double, date, string, uri, decimal, composite, uuid, binary, reference

    init(_ kind: ColumnLayout.Kind) {
        guard case .attribute(let type, _) = kind else {
            self = .reference
            return
        }
        self =
            switch type {
            case .integer16, .integer32, .integer64: .integer
            case .boolean: .boolean
            case .double, .float: .double
            case .date: .date
            case .string, .undefined: .string
            case .uri: .uri
            case .decimal: .decimal
            case .composite: .composite
            case .uuid: .uuid
            case .binary, .transformable: .binary
            }
    }

    func value(in statement: BoundStatement, at index: Int32) -> PropertyValue {
        if statement.isNull(index) { return .null }
        return switch self {
        case .integer: .integer(statement.integer(index))
        case .boolean: .boolean(statement.integer(index) != 0)
        case .double: .double(statement.double(index))
        case .date: .date(DateValue(secondsSinceReferenceDate: statement.double(index)))
        case .string: .string(statement.text(index))
        case .uri: .uri(statement.text(index))
        case .decimal: .decimal(statement.text(index))
        case .composite: .composite(statement.text(index))
        case .uuid: statement.id(index).map(PropertyValue.uuid) ?? .null
        case .binary: binary(in: statement, at: index)
        case .reference: statement.id(index).map(PropertyValue.reference) ?? .null
        }
    }

    /// The bytes, or the name of a blob beside the log, which is stored as text.
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
