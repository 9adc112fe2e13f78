import TributaryModel

/// The names of the types that a model's files declare, and the spelling of other modules' types beside them.
struct TypeNames {
    private(set) var classes: [String: String] = [:]
    private(set) var composites: [String: String] = [:]
    let list: String
    private let declared: Set<String>

    private static let modules: [String: String] = [
        "Data": "Foundation", "Date": "Foundation", "Decimal": "Foundation", "URL": "Foundation", "UUID": "Foundation",
        "Bool": "Swift", "Double": "Swift", "Float": "Swift", "Int16": "Swift", "Int32": "Swift", "Int64": "Swift",
        "Set": "Swift", "String": "Swift", "Sendable": "Swift", "PartialKeyPath": "Swift",
        "Field": "Tributary", "ToOne": "Tributary", "ToMany": "Tributary", "ManagedObject": "Tributary",
        "ManagedObjectID": "Tributary", "TypedSnapshot": "Tributary", "CompositeValue": "Tributary",
        "CompositeFields": "Tributary", "TransformableField": "Tributary", "PropertyValue": "Tributary",
        "ContextError": "Tributary", "DeclaredField": "Tributary",
    ]
    private static let reservedNames: Set<String> = [
        "Snapshot", "keys", "Swift", "Foundation", "Tributary", "Type", "Self", "Protocol", "Any",
    ]

    init(_ model: Model, listName: String) {
        var taken = TypeNames.reservedNames
        func reserve(_ name: String) -> String {
            let result = SwiftName.identifier(name, notIn: taken)
            taken.insert(result)
            return result
        }
        for entity in model.entities {
            classes[entity.name] = reserve(TypeNames.wanted(entity, taken: taken))
        }
        for name in model.composites.keys.sorted() { composites[name] = reserve(name) }
        list = reserve(listName)
        declared = taken.subtracting(TypeNames.reservedNames)
    }

    /// Returns the class name that the model states, without a module, or else the entity's name; two entities may
    /// state one class.
    private static func wanted(_ entity: Entity, taken: Set<String>) -> String {
        guard let named = entity.className?.split(separator: ".").last.map(String.init),
            !["", "NSManagedObject", "ManagedObject"].contains(named),
            !taken.contains(SwiftName.identifier(named, notIn: []))
        else { return entity.name }
        return named
    }

    /// Returns the class of an entity, or `ManagedObject` for an unknown entity.
    func type(ofEntity name: String) -> String {
        classes[name].map(SwiftName.escaped) ?? library("ManagedObject")
    }

    /// Returns a type of the library or the system, qualified by its module when the model has a type with this name.
    func library(_ name: String) -> String {
        guard declared.contains(name), let module = TypeNames.modules[name] else { return name }
        return "\(module).\(name)"
    }
}
