import Synchronization
import TributaryChanges
import TributaryModel

/// Finds out which property of the model an accessor of a class stands for, by calling it on an object that is not there.
///
/// The object's key constants ask its kind for their slots: those that ask are what the accessor uses. Its values are
/// such that an accessor which makes something else of them is found out.
final class PropertyProbe: Sendable {
    private let names = Mutex<[String]>([])
    /// More than an accessor of one property can use.
    private static let slotCount = 8

    /// The slot that a name is given: they are counted as they are asked for.
    func slot(named name: String) -> Int {
        names.withLock { names in
            if let known = names.firstIndex(of: name) { return known }
            names.append(name)
            return names.count - 1
        }
    }

    /// The names that were asked for.
    private var found: [String] { names.withLock { $0 } }

    /// What an accessor is.
    enum Finding: Equatable {
        /// It stands for one property.
        case property(String)
        /// It stands for the object itself: `objectID`, `uniqueID`.
        case identity
        /// It uses no property, several, or makes something else of one.
        case none(uses: [String])
    }

    /// What a key path of a class leads to.
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
        let names = probe.found
        if names.isEmpty {
            if let id = output as? ManagedObjectID, id.uniqueID == object.uniqueID { return .identity }
            if let id = output as? UniqueID, id == object.uniqueID { return .identity }
        }
        guard names.count == 1, isSame(output) else { return .none(uses: names) }
        return .property(names[0])
    }

    /// What a to-one relationship of the probed object leads to: another object that is not there, so that accessors
    /// which unwrap it find one.
    func target<Target: ManagedObject>(_ type: Target.Type) -> Target? {
        PropertyProbe().object(of: type, value: .null) as? Target
    }

    /// An object whose every attribute reads as the value.
    private func object(of type: ManagedObject.Type, value: PropertyValue) -> ManagedObject {
        let kind = ObjectKind(
            entity: .unknown(named: type.entityName),
            type: type,
            store: "",
            rootIndex: 0,
            isKnown: false,
            probe: self
        )
        let id = UniqueID(high: 0x7072_6f62_6500_7000, low: 0x8000_7072_6f62_6500)
        let object = type.init(ObjectOrigin(kind: kind, uniqueID: id, context: nil))
        object.values = Array(repeating: value, count: PropertyProbe.slotCount)
        return object
    }
}
