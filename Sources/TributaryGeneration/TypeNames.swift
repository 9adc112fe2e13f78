import TributaryModel

/// The names of the types that a model's files declare, and how types of other modules are written beside them.
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
    /// What a class of a model cannot be called.
    private static let impossible: Set<String> = [
        "Snapshot", "keys", "Swift", "Foundation", "Tributary", "Type", "Self", "Protocol", "Any",
    ]

    init(_ model: Model, listName: String) {
        var taken = TypeNames.impossible
        func claim(_ name: String) -> String {
            let result = SwiftName.identifier(name, notIn: taken)
            taken.insert(result)
            return result
        }
        for entity in model.entities {
            classes[entity.name] = claim(TypeNames.wanted(entity, taken: taken))
        }
        for name in model.composites.keys.sorted() { composites[name] = claim(name) }
        list = claim(listName)
        declared = taken.subtracting(TypeNames.impossible)
    }

    /// The class that the model names, without a module, or else the entity's name; two entities may name one class.
    private static func wanted(_ entity: Entity, taken: Set<String>) -> String {
        guard let named = entity.className?.split(separator: ".").last.map(String.init),
            !["", "NSManagedObject", "ManagedObject"].contains(named),
            !taken.contains(SwiftName.identifier(named, notIn: []))
        else { return entity.name }
        return named
    }

    /// The class of an entity; entities that are not there have the general one.
    func type(ofEntity name: String) -> String {
        classes[name].map(SwiftName.escaped) ?? library("ManagedObject")
    }

    /// A type of the library or the system, with its module when the model has a type of the same name.
    func library(_ name: String) -> String {
        guard declared.contains(name), let module = TypeNames.modules[name] else { return name }
        return "\(module).\(name)"
    }
}
