public import TributaryChanges

/// An object as a value: its ID, attributes and to-one IDs.
///
/// It is the usual result of a `perform`.
public struct ObjectSnapshot: Sendable, Hashable {
    /// The ID of the object that has the values.
    public let id: ManagedObjectID
    /// The values by property name; to-one relationships as `.reference`.
    public let values: [String: PropertyValue]

    /// Creates a snapshot from an ID and values.
    public init(id: ManagedObjectID, values: [String: PropertyValue]) {
        self.id = id
        self.values = values
    }

    /// Returns the value of a property, or `.null` when there is none.
    public subscript(name: String) -> PropertyValue { values[name] ?? .null }
}

extension ObjectSnapshot: Codable {
    private enum CodingKeys: String, CodingKey {
        case id
        case values
    }

    /// Reads what ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ManagedObjectID.self, forKey: .id)
        values = try container.decode([String: SnapshotValue].self, forKey: .values).mapValues(\.value)
    }

    /// Writes the ID as its URI and each value with its type.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(values.mapValues(SnapshotValue.init), forKey: .values)
    }
}
