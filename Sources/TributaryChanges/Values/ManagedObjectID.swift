public import Foundation

/// The identifier of an object in every context and on every machine.
///
/// The root entity and the UUID identify the object. The concrete entity and the configured name of the store are
/// further information, which `==` and `hash` ignore.
public struct ManagedObjectID: Sendable {
    /// The configured name of the store, which does not depend on its file, so that a URI is valid on other machines.
    public let store: String
    /// The concrete entity.
    public let entity: String
    /// The entity at the top of the concrete entity's inheritance hierarchy.
    public let rootEntity: String
    /// The object's UUID.
    public let uniqueID: UniqueID

    /// Creates an identifier.
    ///
    /// - Parameters:
    ///   - store: The configured name of the store.
    ///   - entity: The concrete entity.
    ///   - rootEntity: The root of the entity's hierarchy.
    ///   - uniqueID: The object's UUID.
    public init(store: String, entity: String, rootEntity: String, uniqueID: UniqueID) {
        self.store = store
        self.entity = entity
        self.rootEntity = rootEntity
        self.uniqueID = uniqueID
    }
}

extension ManagedObjectID: Hashable {
    /// Whether both identify the same object; the concrete entities may differ.
    public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
        left.uniqueID == right.uniqueID && left.rootEntity == right.rootEntity
    }

    /// Hashes the UUID alone.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uniqueID)
    }
}

extension ManagedObjectID: CustomStringConvertible, Codable {
    /// The identifier as `tributary://STORE/ROOT/ENTITY/UUID`, with percent-encoded names.
    public var uri: String {
        let path = [store, rootEntity, entity].map(ManagedObjectID.encode).joined(separator: "/")
        return "tributary://\(path)/\(uniqueID)"
    }

    /// Returns ``uri`` as a URL.
    public func uriRepresentation() -> URL {
        guard let url = URL(string: uri) else { preconditionFailure("the names in '\(uri)' are encoded") }
        return url
    }

    /// The concrete entity and the UUID.
    public var description: String { "\(entity)/\(uniqueID)" }

    /// Reads the URL of ``uriRepresentation()``; nil for any other URL.
    public init?(uriRepresentation url: URL) { self.init(uri: url.absoluteString) }

    /// Parses the text of ``uri``; nil for any other text.
    public init?(uri: String) {
        let prefix = "tributary://"
        guard uri.hasPrefix(prefix) else { return nil }
        let parts = uri.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let id = UniqueID(parts[3]),
            let store = ManagedObjectID.decode(parts[0]), let root = ManagedObjectID.decode(parts[1]),
            let entity = ManagedObjectID.decode(parts[2]), !root.isEmpty, !entity.isEmpty
        else { return nil }
        self.init(store: store, entity: entity, rootEntity: root, uniqueID: id)
    }

    /// Reads a URI.
    ///
    /// - Throws: ``DecodingError`` when the value is not the URI of an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = ManagedObjectID(uri: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an object's URI")
        }
        self = value
    }

    /// Writes the URI.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uri)
    }

    // Foundation's functions are not used: `addingPercentEncoding` returns the same text but takes two to ten times as
    // long for each ID of a response, and `removingPercentEncoding` replaces bytes that are not UTF-8 where this parser
    // must refuse them.
    private static func encode(_ name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let first = rest.next().flatMap(hexadecimalDigit), let second = rest.next().flatMap(hexadecimalDigit)
            else { return nil }
            bytes.append(first << 4 | second)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
