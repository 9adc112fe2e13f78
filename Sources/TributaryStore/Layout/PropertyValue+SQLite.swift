import CSQLite
import TributaryChanges
import TributaryModel

extension PropertyValue {
    init(sqlite value: OpaquePointer?, kind: ValueKind) {
        switch (sqlite3_value_type(value), kind) {
        case (SQLITE_INTEGER, .boolean): self = .boolean(sqlite3_value_int64(value) != 0)
        case (SQLITE_INTEGER, .date), (SQLITE_FLOAT, .date):
            self = .date(DateValue(secondsSinceReferenceDate: sqlite3_value_double(value)))
        case (SQLITE_INTEGER, _): self = .integer(sqlite3_value_int64(value))
        case (SQLITE_FLOAT, _): self = .double(sqlite3_value_double(value))
        case (SQLITE_TEXT, .decimal): self = .decimal(PropertyValue.text(value))
        case (SQLITE_TEXT, _): self = .string(PropertyValue.text(value))
        case (SQLITE_BLOB, .uuid), (SQLITE_BLOB, .reference):
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_value_blob(value),
                count: Int(sqlite3_value_bytes(value))
            )
            self = bytes.count == 16 ? .uuid(UniqueID(bytes: bytes)) : .null
        default: self = .null
        }
    }

    private static func text(_ value: OpaquePointer?) -> String {
        let start = sqlite3_value_text(value)
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func setResult(of context: OpaquePointer?) {
        switch self {
        case .integer(let value): sqlite3_result_int64(context, value)
        case .boolean(let value): sqlite3_result_int(context, value ? 1 : 0)
        case .double(let value): sqlite3_result_double(context, value)
        case .date(let value): sqlite3_result_double(context, value.secondsSinceReferenceDate)
        case .string(let text), .uri(let text), .decimal(let text), .composite(let text):
            PropertyValue.setResult(text, of: context)
        case .uuid(let id), .reference(let id): PropertyValue.setResult(id.bytes, of: context)
        case .binary(let bytes): PropertyValue.setResult(bytes, of: context)
        case .blob: PropertyValue.setResult(json.text, of: context)
        case .null: sqlite3_result_null(context)
        }
    }

    private static func setResult(_ text: String, of context: OpaquePointer?) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else {
                    return sqlite3_result_text(context, "", 0, BoundStatement.copied)
                }
                sqlite3_result_text(context, start, Int32(clamping: characters.count), BoundStatement.copied)
            }
        }
    }

    private static func setResult(_ bytes: [UInt8], of context: OpaquePointer?) {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, !buffer.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
            sqlite3_result_blob(context, start, Int32(clamping: buffer.count), BoundStatement.copied)
        }
    }
}
