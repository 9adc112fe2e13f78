import TributaryAdmin
import TributaryChanges

/// Decodes a message from nothing, and records the JSON schema of the values that the message reads.
///
/// A member is required unless the message reads it with `decodeIfPresent`, as the compiler does for an optional
/// property. A type with cases becomes a list of their raw values, and a message with a name becomes a reference.
final class SchemaRecorder: Decoder, SingleValueDecodingContainer, UnkeyedDecodingContainer {
    /// The names of the schemas of the messages that other messages contain.
    private let names: [ObjectIdentifier: String]
    private(set) var properties: [JSONMember] = []
    private(set) var required: [JSONValue] = []
    /// The schema of a list, a dictionary, or a single value; nil for a message.
    private var shape: JSONValue?
    private var isList = false
    private var isDictionary = false
    private var isOptional = false

    /// Records the members of a message.
    ///
    /// - Throws: The errors of a message that accepts only certain values, or that contains a message without a name.
    init(_ message: any Decodable.Type, names: [ObjectIdentifier: String]) throws {
        self.names = names
        _ = try message.init(from: self)
    }

    private init(names: [ObjectIdentifier: String]) {
        self.names = names
    }

    /// Returns a value of the type, which the message needs to continue, and the schema of all its values.
    private func record<Value: Decodable>(_ type: Value.Type) throws -> (Value, JSONValue) {
        let plain: [(Any?, String)] = [
            ((type as? any BinaryInteger.Type)?.init(), "integer"),
            ((type as? any BinaryFloatingPoint.Type)?.init(0), "number"),
            (false, "boolean"), (UniqueID(high: 0, low: 0).description, "string"),
        ]
        for (value, name) in plain {
            if let value = value as? Value { return (value, .members(["type": .string(name)])) }
        }
        if let listed = type as? any (CaseIterable & RawRepresentable).Type {
            let (first, texts) = Self.cases(of: listed)
            if let value = first as? Value {
                return (value, .members(["type": .string("string"), "enum": .array(texts)]))
            }
        }
        let part = SchemaRecorder(names: names)
        let value = try Value(from: part)
        if let name = names[ObjectIdentifier(type)] { return (value, .reference(to: "schemas", name)) }
        guard let shape = part.shape else {
            throw Self.mismatch("contains \(type), which has no name in InterfaceDocument")
        }
        return (value, value is UniqueID ? shape.adding([JSONMember(key: "format", value: .string("uuid"))]) : shape)
    }

    private static func cases<Listed: CaseIterable & RawRepresentable>(of type: Listed.Type) -> (Any?, [JSONValue]) {
        (type.allCases.first, type.allCases.compactMap { $0.rawValue as? String }.map(JSONValue.string))
    }

    private func add<Value: Decodable>(_ type: Value.Type, _ key: any CodingKey) throws -> Value {
        let (value, schema) = try record(type)
        if isDictionary {
            shape = .members(["type": .string("object"), "additionalProperties": schema])
        } else {
            properties.append(JSONMember(key: key.stringValue, value: schema))
            if !isOptional { required.append(.string(key.stringValue)) }
        }
        isOptional = false
        return value
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let recorder: SchemaRecorder

        var codingPath: [any CodingKey] { [] }

        /// Only a dictionary asks for the keys.
        var allKeys: [Key] {
            recorder.isDictionary = true
            return [Key(stringValue: "")].compactMap(\.self)
        }

        func contains(_ key: Key) -> Bool { true }

        /// Only `decodeIfPresent` asks, before it decodes the value.
        func decodeNil(forKey key: Key) -> Bool {
            recorder.isOptional = true
            return false
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try recorder.add(type, key)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try recorder.nestedContainer(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try recorder.nestedUnkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { try recorder.superDecoder() }

        func superDecoder(forKey key: Key) throws -> any Decoder { try recorder.superDecoder() }
    }

    // MARK: Decoder

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members(recorder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        isList = true
        return self
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    // MARK: A list with a single element, or a single value

    private(set) var currentIndex = 0
    var count: Int? { nil }
    var isAtEnd: Bool { currentIndex > 0 }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (value, schema) = try record(type)
        currentIndex += 1
        shape = isList ? .members(["type": .string("array"), "items": schema]) : schema
        return value
    }

    // MARK: Parts that no message reads

    private static let unknownPart = mismatch("reads its parts without a type")

    private static func mismatch(_ fault: String) -> ProblemDocument {
        ProblemDocument(.failure, detail: "a message of the admin interface \(fault)")
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw Self.unknownPart
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.unknownPart }

    func superDecoder() throws -> any Decoder { throw Self.unknownPart }
}
