import CSQLite
import TributaryChanges
import TributaryModel

extension SQLStatement {
    /// The value of an attribute's column.
    func value(_ column: Int32, of type: AttributeType) -> PropertyValue {
        let storage = sqlite3_column_type(handle, column)
        guard storage != SQLITE_NULL else { return .null }
        switch type {
        case .integer16, .integer32, .integer64: return .integer(integer(column))
        case .boolean: return .boolean(integer(column) != 0)
        case .double, .float: return .double(double(column))
        case .date: return .date(double(column))
        case .string: return .string(text(column))
        case .uri: return .uri(text(column))
        case .decimal: return .decimal(text(column))
        case .composite: return .composite(text(column))
        case .uuid: return id(column).map { .uuid($0) } ?? .null
        case .binary, .transformable:
            if storage == SQLITE_TEXT, let blob = PropertyValue(blobReference: text(column)) { return blob }
            return .binary(bytes(column))
        case .undefined: return .null
        }
    }

    /// The value of a column of a table, for an object that has it.
    func value(_ column: Int32, of layout: ColumnLayout) -> PropertyValue {
        switch layout.kind {
        case .attribute(let type, _): value(column, of: type)
        case .reference, .mirror: id(column).map { .reference($0) } ?? .null
        }
    }
}

extension PropertyValue {
    /// Reads `{"blob":"<sha256>","size":N}` as ``SQLStatement`` writes it.
    init?(blobReference text: String) {
        let prefix = "{\"blob\":\""
        let middle = "\",\"size\":"
        guard text.hasPrefix(prefix), text.hasSuffix("}") else { return nil }
        let hash = text.dropFirst(prefix.count).prefix(64)
        let rest = text.dropFirst(prefix.count + 64)
        guard hash.utf8.count == 64, rest.hasPrefix(middle), let size = Int64(rest.dropFirst(middle.count).dropLast())
        else { return nil }
        self = .blob(sha256: String(hash), size: size)
    }
}
