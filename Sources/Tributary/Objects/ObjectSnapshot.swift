import Foundation
public import TributaryChanges

/// An object as a value: its ID, attributes and to-one IDs.
///
/// It is the usual result of a `perform`.
public struct ObjectSnapshot: Sendable, Hashable {
    /// The ID of the object that has the values.
    public let id: ManagedObjectID
    /// The values by property name; to-one relationships as `.reference`.
    public let values: [String: PropertyValue]
    /// Whether the values were read from the object: then its counters report the stored values, and change nothing.
    let isTaken: Bool

    /// Creates a snapshot from an ID and values.
    public init(id: ManagedObjectID, values: [String: PropertyValue]) {
        self.init(id: id, values: values, isTaken: false)
    }

    init(id: ManagedObjectID, values: [String: PropertyValue], isTaken: Bool) {
        self.id = id
        self.values = values
        self.isTaken = isTaken
    }

    /// Returns whether both have the same ID and equal values.
    public static func == (left: ObjectSnapshot, right: ObjectSnapshot) -> Bool {
        left.id == right.id && left.values == right.values
    }

    /// Hashes the ID and the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(values)
    }

    /// Returns the value of a property, or `.null` when it is missing.
    public subscript(name: String) -> PropertyValue { values[name] ?? .null }
}

extension ObjectSnapshot: Codable {
    private enum CodingKeys: String, CodingKey {
        case id
        case values
        case taken
    }

    /// Reads the form of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ManagedObjectID.self, forKey: .id)
        values = try container.decode([String: SnapshotValue].self, forKey: .values).mapValues(\.value)
        isTaken = try container.decodeIfPresent(Bool.self, forKey: .taken) ?? false
    }

    /// Writes the ID as its URI and each value with its type.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(values.mapValues(SnapshotValue.init), forKey: .values)
        if isTaken { try container.encode(true, forKey: .taken) }
    }
}

/// A date that a double of Unix seconds cannot represent is also coded as seconds since 2001.
struct SnapshotValue: Codable {
    let value: PropertyValue

    init(_ value: PropertyValue) {
        self.value = value
    }

    private enum CodingKeys: String, CodingKey {
        case null, integer, double, boolean, string, date, since2001, decimal, uuid, uri, binary, blob, size, composite,
            reference
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String { try container.decode(String.self, forKey: key) }
        func identifier(_ key: CodingKeys) throws -> UniqueID { try container.decode(UniqueID.self, forKey: key) }
        if container.contains(.blob) {
            value = .blob(sha256: try text(.blob), size: try container.decode(Int64.self, forKey: .size))
            return
        }
        if container.contains(.since2001) {
            let seconds = try container.decode(Double.self, forKey: .since2001)
            value = .date(DateValue(secondsSinceReferenceDate: seconds))
            return
        }
        switch container.allKeys.first {
        case .integer: value = .integer(try container.decode(Int64.self, forKey: .integer))
        case .double: value = .double(try container.decode(Double.self, forKey: .double))
        case .boolean: value = .boolean(try container.decode(Bool.self, forKey: .boolean))
        case .string: value = .string(try text(.string))
        case .date: value = .date(DateValue(unixSeconds: try container.decode(Double.self, forKey: .date)))
        case .decimal: value = .decimal(try text(.decimal))
        case .uuid: value = .uuid(try identifier(.uuid))
        case .uri: value = .uri(try text(.uri))
        case .binary: value = .binary([UInt8](try container.decode(Data.self, forKey: .binary)))
        case .composite: value = .composite(try text(.composite))
        case .reference: value = .reference(try identifier(.reference))
        case .null, .blob, .size, .since2001, nil: value = .null
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch value {
        case .null: try container.encodeNil(forKey: .null)
        case .integer(let value): try container.encode(value, forKey: .integer)
        case .double(let value): try container.encode(value, forKey: .double)
        case .boolean(let value): try container.encode(value, forKey: .boolean)
        case .string(let value): try container.encode(value, forKey: .string)
        case .date(let value):
            try container.encode(value.unixSeconds, forKey: .date)
            guard DateValue(unixSeconds: value.unixSeconds) != value else { return }
            try container.encode(value.secondsSinceReferenceDate, forKey: .since2001)
        case .decimal(let value): try container.encode(value, forKey: .decimal)
        case .uuid(let value): try container.encode(value, forKey: .uuid)
        case .uri(let value): try container.encode(value, forKey: .uri)
        case .binary(let value): try container.encode(Data(value), forKey: .binary)
        case .blob(let sha256, let size):
            try container.encode(sha256, forKey: .blob)
            try container.encode(size, forKey: .size)
        case .composite(let value): try container.encode(value, forKey: .composite)
        case .reference(let value): try container.encode(value, forKey: .reference)
        }
    }
}

/// The values of an object of one class, as a value that may cross contexts and processes.
///
/// `tributaryctl model generate` writes such a type for each entity, nested in its class. An example:
///
/// ```swift
/// extension Employee {
///     struct Snapshot: TypedSnapshot {
///         var objectID: ManagedObjectID
///         var name: String
///         var departmentID: ManagedObjectID?
///
///         init(_ employee: Employee) {
///             objectID = employee.objectID
///             name = employee.name
///             departmentID = employee[idOf: Employee.department]
///         }
///         func write(to employee: Employee) {
///             employee.name = name
///             employee[idOf: Employee.department] = departmentID
///         }
///     }
/// }
/// ```
///
/// Then `employee.snapshot(as: Employee.Snapshot.self)`, `context.insert(from: snapshot)` and
/// `employee.update(from: snapshot)` work.
public protocol TypedSnapshot: Sendable, Codable, Hashable {
    /// The class of the objects.
    associatedtype Object: ManagedObject

    /// The ID of the object that has the values.
    var objectID: ManagedObjectID { get }
    /// Creates a snapshot of the object's current values.
    init(_ object: Object)
    /// Sets the object's attributes and to-one relationships, except derived attributes.
    func write(to object: Object)
    /// Returns the model's name of the property at a key path, or nil when the key path has no name.
    static func propertyName(of path: PartialKeyPath<Self>) -> String?
}

extension TypedSnapshot {
    /// Returns nil: no key path has a name unless the type implements this function.
    public static func propertyName(of path: PartialKeyPath<Self>) -> String? { nil }
}

/// The reasons why values change without an assignment; see ``ManagedObject/awake(from:)``.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
    /// The bits, one for each event.
    public let rawValue: Int

    /// Creates events from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An undo or redo has reverted an insertion, and the object is removed.
    public static let undoInsertion = SnapshotEvents(rawValue: 1)
    /// An undo or redo has reverted a deletion, and the object is inserted again.
    public static let undoDeletion = SnapshotEvents(rawValue: 2)
    /// An undo or redo has reverted changes of the object.
    public static let undoUpdate = SnapshotEvents(rawValue: 4)
    /// A rollback has dropped the object's changes.
    public static let rollback = SnapshotEvents(rawValue: 8)
    /// The object was refreshed from the store.
    public static let refresh = SnapshotEvents(rawValue: 16)
    /// A save has set values of the store on the object, for its merge policy, derived attributes or counters.
    public static let mergePolicy = SnapshotEvents(rawValue: 32)
}
