import Synchronization
import TributaryChanges
import TributaryModel

/// Finds the property that an accessor uses, by calling it on a temporary object that records requested names.
///
/// Sample values show whether an accessor computes another value from them.
final class PropertyProbe: Sendable {
    private let names = Mutex<[String]>([])
    private static let slotCount = 8

    func propertyIndex(named name: String) -> Int {
        names.withLock { names in
            if let known = names.firstIndex(of: name) { return known }
            names.append(name)
            return names.count - 1
        }
    }

    enum Finding: Equatable {
        case property(String)
        case identity
        case none(uses: [String])
    }

    static func find<Output>(_ path: AnyKeyPath, in type: ManagedObject.Type, as output: Output.Type) -> Finding {
        let samples = ProbeSample.samples(of: Output.self)
        guard !samples.isEmpty else { return check(path, in: type, value: .null) { _ in true } }
        var result: Finding?
        for sample in samples {
            let finding = check(path, in: type, value: sample) { output in
                (output as? any FieldValue)?.fieldValue == sample
            }
            if case .none = finding { return finding }
            if let result, result != finding { return .none(uses: []) }
            result = finding
        }
        return result ?? .none(uses: [])
    }

    private static func check(
        _ path: AnyKeyPath,
        in type: ManagedObject.Type,
        value: PropertyValue,
        _ isSame: (Any) -> Bool
    ) -> Finding {
        let probe = PropertyProbe()
        let object = probe.object(of: type, value: value)
        guard let output = object[keyPath: path] else { return .none(uses: []) }
        let names = probe.names.withLock { $0 }
        if names.isEmpty {
            if let id = output as? ManagedObjectID, id.uniqueID == object.uniqueID { return .identity }
            if let id = output as? UniqueID, id == object.uniqueID { return .identity }
        }
        guard names.count == 1, isSame(output) else { return .none(uses: names) }
        return .property(names[0])
    }

    /// Accessors that unwrap a to-one relationship need an object.
    func target<Target: ManagedObject>(_ type: Target.Type) -> Target? {
        PropertyProbe().object(of: type, value: .null) as? Target
    }

    private func object(of type: ManagedObject.Type, value: PropertyValue) -> ManagedObject {
        let descriptor = EntityDescriptor(
            entity: .unknown(named: type.entityName),
            type: type,
            store: "",
            rootIndex: 0,
            isKnown: false,
            probe: self
        )
        let id = UniqueID(high: 0x7072_6f62_6500_7000, low: 0x8000_7072_6f62_6500)
        let object = type.init(ObjectOrigin(descriptor: descriptor, uniqueID: id, context: nil))
        object.values = Array(repeating: value, count: PropertyProbe.slotCount)
        return object
    }
}

final class CompositeProbe: Sendable {
    private let members = Mutex<[Member]>([])

    struct Member: Sendable, Hashable {
        var name: String
        var type: AttributeType
    }

    func addMember(_ name: String, _ type: AttributeType) {
        members.withLock { members in
            let member = Member(name: name, type: type)
            if !members.contains(member) { members.append(member) }
        }
    }

    static func members<Composite: CompositeValue>(of type: Composite.Type) -> [Member] {
        let probe = CompositeProbe()
        _ = Composite(CompositeFields(telling: probe))
        return probe.members.withLock { $0 }
    }

    static func name<Composite: CompositeValue, Output>(of path: KeyPath<Composite, Output>) -> String? {
        let samples = ProbeSample.samples(of: Output.self)
        guard !samples.isEmpty else { return nil }
        return members(of: Composite.self).first { member in
            samples.allSatisfy { sample in
                var fields = CompositeFields()
                fields.set(member.name, to: sample)
                return (Composite(fields)[keyPath: path] as? any FieldValue)?.fieldValue == sample
            }
        }?.name
    }

    static func samples<Composite: CompositeValue>(of type: Composite.Type) -> [PropertyValue] {
        let plain = members(of: type)
        return [0, 1].map { place in
            var fields = CompositeFields()
            for member in plain {
                let sample: PropertyValue? =
                    switch member.type {
                    case .string: .string("s\(place)")
                    case .integer16, .integer32, .integer64: .integer(Int64(place + 3))
                    case .boolean: .boolean(place == 0)
                    case .double, .float: .double(Double(place) + 0.5)
                    case .date: .date(DateValue(unixSeconds: Double(place) + 9))
                    case .decimal: .decimal("\(place + 2).5")
                    default: nil
                    }
                if let sample { fields.set(member.name, to: sample) }
            }
            // A round trip through the type gives the value the type's own form.
            return Composite(fields).fieldValue
        }
    }
}

enum ProbeSample {
    private static let all: [PropertyValue] = [
        .string(" Ab\u{e9} "), .string("x,1;"), .integer(7919), .integer(-31), .double(-5.75), .double(1_000.25),
        .boolean(true), .boolean(false), .date(86_399.5), .date(-1), .decimal("12.5"), .decimal("-7"),
        .uuid(UniqueID(high: 0x0190_f1a2_0000_7000, low: 0x8000_0000_0000_0001)),
        .uuid(UniqueID(high: 0x0190_f1a2_0000_7000, low: 0x8000_0000_0000_0002)),
        .uri("https://example.org/a?b=c"), .uri("mailto:a@example.org"), .binary([0, 255, 7]), .binary([1]),
    ]

    static func samples<Output>(of type: Output.Type) -> [PropertyValue] {
        guard let type = Output.self as? any FieldValue.Type else { return [] }
        return fitting(type)
    }

    private static func fitting<Value: FieldValue>(_ type: Value.Type) -> [PropertyValue] {
        if let composite = Value.Present.self as? any CompositeValue.Type {
            return CompositeProbe.samples(of: composite)
        }
        return all.filter { Value(fieldValue: $0)?.fieldValue == $0 }
    }
}
