import TributaryChanges

/// The compact encoding of values in the registers of tombstones and partial rows.
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
