import CSQLite
import TributaryChanges
import TributaryModel

/// A list of values in one parameter, because a list may be longer than SQLite's limit of 32,766 parameters.
///
/// Each value is a kind byte, then an 8-byte number, or an 8-byte length and that many bytes.
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
    /// Limited to 48 bits, so that adding it to an address cannot overflow.
    fileprivate var clamped: UInt64 { Swift.min(self, 1 << 48) }
}

extension PropertyValue {
    func pack(into writer: inout VariableLengthWriter) {
        switch self {
        case .null: writer.append(0)
        case .integer(let value):
            writer.append(1)
            writer.append(UInt64(bitPattern: value))
        case .double(let value): PropertyValue.pack(2, value.bitPattern, &writer)
        case .boolean(let value): writer.append(value ? 4 : 3)
        case .string(let text): PropertyValue.pack(5, text, &writer)
        case .date(let value): PropertyValue.pack(14, value.secondsSinceReferenceDate.bitPattern, &writer)
        case .decimal(let text): PropertyValue.pack(7, text, &writer)
        case .uuid(let id): PropertyValue.pack(8, id, &writer)
        case .uri(let text): PropertyValue.pack(9, text, &writer)
        case .binary(let bytes):
            writer.append(10)
            writer.append(UInt64(bytes.count))
            writer.append(contentsOf: bytes)
        case .blob(let sha256, let size):
            PropertyValue.pack(11, sha256, &writer)
            writer.append(UInt64(bitPattern: size))
        case .composite(let text): PropertyValue.pack(12, text, &writer)
        case .reference(let id): PropertyValue.pack(13, id, &writer)
        }
    }

    init?(unpacking reader: inout VariableLengthReader) {
        switch reader.next() {
        case 0: self = .null
        case 1:
            guard let bits = reader.next() else { return nil }
            self = .integer(Int64(bitPattern: bits))
        case 2:
            guard let bits = reader.next() else { return nil }
            self = .double(Double(bitPattern: bits))
        case 3: self = .boolean(false)
        case 4: self = .boolean(true)
        case 14:
            guard let bits = reader.next() else { return nil }
            self = .date(DateValue(secondsSinceReferenceDate: Double(bitPattern: bits)))
        case 8:
            guard let bytes = reader.read(16) else { return nil }
            self = .uuid(UniqueID(bytes: bytes))
        case 13:
            guard let bytes = reader.read(16) else { return nil }
            self = .reference(UniqueID(bytes: bytes))
        case let tag?:
            guard let count = reader.next(), let bytes = reader.read(Int(clamping: count)) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            switch tag {
            case 5: self = .string(text)
            case 7: self = .decimal(text)
            case 9: self = .uri(text)
            case 10: self = .binary(Array(bytes))
            case 11:
                guard let size = reader.next() else { return nil }
                self = .blob(sha256: text, size: Int64(bitPattern: size))
            case 12: self = .composite(text)
            default: return nil
            }
        case nil: return nil
        }
    }

    private static func pack(_ tag: UInt64, _ bits: UInt64, _ writer: inout VariableLengthWriter) {
        writer.append(tag)
        writer.append(bits)
    }

    private static func pack(_ tag: UInt64, _ text: String, _ writer: inout VariableLengthWriter) {
        writer.append(tag)
        writer.append(UInt64(text.utf8.count))
        writer.append(contentsOf: text.utf8)
    }

    private static func pack(_ tag: UInt64, _ id: UniqueID, _ writer: inout VariableLengthWriter) {
        writer.append(tag)
        writer.append(contentsOf: id.bytes)
    }
}

struct VariableLengthReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var index = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func next() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }

    mutating func read(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - index else { return nil }
        defer { index += count }
        return UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])
    }
}

struct VariableLengthWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func append(contentsOf more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }
}
