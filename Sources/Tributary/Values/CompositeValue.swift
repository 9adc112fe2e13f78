public import TributaryChanges
public import TributaryModel

/// A Swift type for a composite of the model; `tributaryctl model generate` writes such types.
public protocol CompositeValue: FieldValue, Codable, Hashable, Sendable {
    /// Creates the value from its members.
    init(_ fields: CompositeFields)
    /// The members of the value.
    var compositeFields: CompositeFields { get }
}

extension CompositeValue {
    /// Creates the value of a composite attribute; nil when it is another value.
    public init?(fieldValue: PropertyValue) {
        guard let fields = CompositeFields(fieldValue) else { return nil }
        self.init(fields)
    }

    /// The value as canonical JSON.
    public var fieldValue: PropertyValue { compositeFields.value }

    /// A value without members.
    public static var zeroField: Self { Self(CompositeFields()) }
}

/// The members of a composite attribute's value, by name.
public struct CompositeFields: Sendable {
    private var members: [String: JSONValue] = [:]
    private var probe: CompositeProbe?

    /// Creates a value without members: each reads as its type's zero.
    public init() {}

    init(telling probe: CompositeProbe) {
        self.probe = probe
    }

    /// Creates the members of a composite attribute's value; nil when it is another value.
    public init?(_ value: PropertyValue) {
        guard case .composite(let text) = value, case .object(let members)? = JSONValue(text: text) else { return nil }
        self.members = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns a member of the given type of the model.
    public subscript<Value: FieldValue>(name: String, type: AttributeType) -> Value {
        if let probe { probe.addMember(name, type) }
        guard let json = members[name] else { return Value.zeroField }
        let value = type == .composite ? PropertyValue.composite(json.text) : type.scalarValue(from: json)
        return value.flatMap { Value(fieldValue: $0) } ?? Value.zeroField
    }

    /// Sets a member; nil removes it.
    public mutating func set<Value: FieldValue>(_ name: String, to value: Value) {
        let value = value.fieldValue
        members[name] = value.isNull ? nil : value.json
    }

    var value: PropertyValue {
        let sorted = members.sorted { $0.key.precedesByBytes($1.key) }
        return .composite(JSONValue.object(sorted.map { JSONMember(key: $0.key, value: $0.value) }).text)
    }
}

extension CompositeFields: Hashable {
    /// Returns whether the members are equal.
    public static func == (left: CompositeFields, right: CompositeFields) -> Bool { left.members == right.members }

    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}
