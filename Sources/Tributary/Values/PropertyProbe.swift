import Synchronization
import TributaryChanges
import TributaryModel

/// Finds the property of the model that an accessor of a class represents, by calling it on a temporary object.
///
/// The object's key constants request their property indexes from its entity descriptor: the keys that do so are used
/// by the accessor. The sample values reveal an accessor that computes another value from them.
final class PropertyProbe: Sendable {
    private let names = Mutex<[String]>([])
    /// The number of property indexes, which is more than an accessor of one property can use.
    private static let slotCount = 8

    /// Returns the property index of a name: property indexes are numbered in the order of their first request.
    func propertyIndex(named name: String) -> Int {
        names.withLock { names in
            if let known = names.firstIndex(of: name) { return known }
            names.append(name)
            return names.count - 1
        }
    }

    enum Finding: Equatable {
        case property(String)
        /// The accessor represents the object itself: `objectID`, `uniqueID`.
        case identity
        /// The accessor uses no property, several, or computes another value from one.
        case none(uses: [String])
    }

    /// Returns the result for a key path of a class.
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

    /// Returns a temporary target of a to-one relationship, so that accessors which unwrap it find an object.
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
