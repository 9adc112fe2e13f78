import CSQLite
import TributaryChanges
import TributaryModel

/// The values of one list as the bytes of one parameter: SQLite accepts 32,766 parameters, and a list may be longer.
///
/// Each value is its kind (a byte), followed by a number of 8 bytes, or by a length of 8 bytes and that many bytes.
struct PackedValues {
    private enum Kind: UInt8 {
        case null = 0, integer, double, text, bytes
    }

    private let bytes: [UInt8]
    private var position = 0
    private(set) var count: Int64 = 0

    init(reading bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position >= bytes.count }

    // MARK: Writing

    static func pack(_ values: [PropertyValue]) -> [UInt8] {
        var result: [UInt8] = []
        for value in values {
            switch value {
            case .null: result.append(Kind.null.rawValue)
            case .integer(let number): append(.integer, UInt64(bitPattern: number), to: &result)
            case .boolean(let flag): append(.integer, flag ? 1 : 0, to: &result)
            case .double(let number): append(.double, number.bitPattern, to: &result)
            case .date(let date): append(.double, date.secondsSinceReferenceDate.bitPattern, to: &result)
            case .string(let text), .uri(let text), .decimal(let text), .composite(let text):
                append(.text, UInt64(text.utf8.count), to: &result)
                result.append(contentsOf: text.utf8)
            case .uuid(let id), .reference(let id): append(id.bytes, to: &result)
            case .binary(let bytes): append(bytes, to: &result)
            case .blob: append(Array(value.json.text.utf8), to: &result)
            }
        }
        return result
    }

    private static func append(_ bytes: [UInt8], to result: inout [UInt8]) {
        append(.bytes, UInt64(bytes.count), to: &result)
        result.append(contentsOf: bytes)
    }

    private static func append(_ kind: Kind, _ number: UInt64, to result: inout [UInt8]) {
        result.append(kind.rawValue)
        withUnsafeBytes(of: number.littleEndian) { result.append(contentsOf: $0) }
    }

    // MARK: Reading

    /// Sets the next value as the result of a column.
    func setResult(of context: OpaquePointer?) {
        guard let kind = bytes.indices.contains(position) ? Kind(rawValue: bytes[position]) : nil, kind != .null else {
            return sqlite3_result_null(context)
        }
        let number = number
        switch kind {
        case .null: sqlite3_result_null(context)
        case .integer: sqlite3_result_int64(context, Int64(bitPattern: number))
        case .double: sqlite3_result_double(context, Double(bitPattern: number))
        case .text, .bytes:
            let start = position + 9
            let end = min(bytes.count, start + Int(clamping: number.clamped))
            guard start < end else {
                return kind == .text ? sqlite3_result_text(context, "", 0, nil) : sqlite3_result_zeroblob(context, 0)
            }
            bytes.withUnsafeBytes { buffer in
                let part = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                if kind == .bytes {
                    return sqlite3_result_blob(
                        context,
                        part.baseAddress,
                        Int32(clamping: part.count),
                        BoundStatement.copied
                    )
                }
                let text = part.bindMemory(to: CChar.self).baseAddress
                sqlite3_result_text(context, text, Int32(clamping: part.count), BoundStatement.copied)
            }
        }
    }

    mutating func advance() {
        guard !isAtEnd else { return }
        count += 1
        switch Kind(rawValue: bytes[position]) {
        case .integer, .double: position += 9
        case .text, .bytes: position = min(bytes.count, position + 9 + Int(clamping: number.clamped))
        case .null, nil: position += 1
        }
    }

    private var number: UInt64 {
        guard position + 9 <= bytes.count else { return 0 }
        return (1...8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[position + $1]) }
    }
}

extension UInt64 {
    /// The number limited to 48 bits, small enough to be added to an address.
    fileprivate var clamped: UInt64 { Swift.min(self, 1 << 48) }
}
