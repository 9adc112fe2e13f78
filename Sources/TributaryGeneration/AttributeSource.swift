import TributaryModel

struct AttributeSource {
    let names: TypeNames
    let options: GeneratorOptions

    func type(of attribute: Attribute) -> String {
        attribute.isOptional || isRegistered(attribute) ? base(attribute) + "?" : base(attribute)
    }

    func registeredType(of attribute: Attribute) -> String? {
        isRegistered(attribute) ? base(attribute) : nil
    }

    /// A class of the program needs a named transformer; the system's transformers give plain bytes.
    private func isRegistered(_ attribute: Attribute) -> Bool {
        guard attribute.type == .transformable, let name = attribute.valueTransformerName, !name.isEmpty else {
            return false
        }
        return base(attribute) != names.library("Data") && !(name.hasPrefix("NS") && name.contains("UnarchiveFromData"))
    }

    /// A snapshot holds the bytes of a transformable attribute.
    func snapshotType(of attribute: Attribute) -> String {
        let base = attribute.type == .transformable ? names.library("Data") : base(attribute)
        return attribute.isOptional ? base + "?" : base
    }

    static func needsFoundation(_ types: [AttributeType]) -> Bool {
        let own: Set<AttributeType> = [.date, .binary, .transformable, .decimal, .uuid, .uri]
        return !own.isDisjoint(with: types)
    }

    private func base(_ attribute: Attribute) -> String {
        switch attribute.type {
        case .transformable: transformable(attribute)
        case .composite:
            attribute.compositeName.flatMap { names.composites[$0] }.map(SwiftName.escaped)
                ?? names.library(attribute.swiftName)
        default: names.library(attribute.swiftName)
        }
    }

    private func transformable(_ attribute: Attribute) -> String {
        guard options.usesTransformableClasses, let name = attribute.customClassName,
            SwiftName.identifier(name, notIn: []) == name
        else { return names.library("Data") }
        return SwiftName.escaped(name)
    }
}

struct CompositeSource {
    let name: String
    let attributes: [Attribute]
    let names: TypeNames
    let options: GeneratorOptions

    var lines: [String] {
        let access = options.access.prefix
        let source = AttributeSource(names: names, options: options)
        let type = SwiftName.escaped(names.composites[name] ?? name)
        var taken = SwiftName.generatedMembers.union([
            "fieldValue", "zeroField", "compositeFields", "hash", "hashValue",
        ])
        let members = attributes.map { attribute in
            let identifier = SwiftName.identifier(attribute.name, notIn: taken)
            taken.insert(identifier)
            return (attribute: attribute, name: SwiftName.escaped(identifier))
        }
        var lines = AttributeSource.needsFoundation(attributes.map(\.type)) ? ["\(access)import Foundation"] : []
        lines += [
            "\(access)import Tributary",
            "",
            "/// The composite `\(SwiftName.comment(name))`.",
            "\(access)struct \(type): \(names.library("CompositeValue")) {",
        ]
        for (attribute, name) in members {
            lines.append("    /// The attribute `\(SwiftName.comment(attribute.name))`.")
            lines.append("    \(access)var \(name): \(source.snapshotType(of: attribute))")
        }
        let parameters = members.map { member in
            let base = source.snapshotType(of: member.attribute)
            return member.attribute.isOptional ? "\(member.name): \(base) = nil" : "\(member.name): \(base)"
        }
        lines += ["", "    /// A value of its parts.", "    \(access)init("]
        lines += parameters.enumerated().map { "        \($1)\($0 + 1 < parameters.count ? "," : "")" }
        lines.append("    ) {")
        lines += members.map { "        self.\($0.name) = \($0.name)" }
        let fields = names.library("CompositeFields")
        lines += ["    }", "", "    /// As `CompositeValue` asks.", "    \(access)init(_ fields: \(fields)) {"]
        lines += members.map { member in
            "        self.\(member.name) = fields[\(SwiftName.literal(member.attribute.name)), .\(member.attribute.type)]"
        }
        lines += ["    }", "", "    /// As `CompositeValue` asks.", "    \(access)var compositeFields: \(fields) {"]
        lines.append("        \(members.isEmpty ? "let" : "var") fields = \(fields)()")
        lines += members.map { "        fields.set(\(SwiftName.literal($0.attribute.name)), to: self.\($0.name))" }
        return lines + ["        return fields", "    }", "}"]
    }
}

/// The names of the types that a model's files declare, and the spelling of other modules' types beside them.
struct TypeNames {
    private(set) var classes: [String: String] = [:]
    private(set) var composites: [String: String] = [:]
    private var bases: [String: String] = [:]
    let list: String
    private let declared: Set<String>

    private static let modules: [String: String] = [
        "Data": "Foundation", "Date": "Foundation", "Decimal": "Foundation", "URL": "Foundation", "UUID": "Foundation",
        "Bool": "Swift", "Double": "Swift", "Float": "Swift", "Int": "Swift", "Int16": "Swift", "Int32": "Swift",
        "Int64": "Swift",
        "Set": "Swift", "String": "Swift", "Sendable": "Swift", "PartialKeyPath": "Swift",
        "Field": "Tributary", "ToOne": "Tributary", "ToMany": "Tributary", "ManagedObject": "Tributary",
        "ManagedObjectID": "Tributary", "TypedSnapshot": "Tributary", "CompositeValue": "Tributary",
        "CompositeFields": "Tributary", "TransformableField": "Tributary", "PropertyValue": "Tributary",
        "ContextError": "Tributary", "DeclaredField": "Tributary", "Model": "Tributary",
    ]
    private static let reservedNames: Set<String> = [
        "Snapshot", "keys", "Swift", "Foundation", "Tributary", "Type", "Self", "Protocol", "Any",
    ]

    init(_ model: Model, listName: String, ownClasses: Set<String>) {
        var taken = TypeNames.reservedNames
        func reserve(_ name: String) -> String {
            let result = SwiftName.identifier(name, notIn: taken)
            taken.insert(result)
            return result
        }
        for entity in model.entities {
            classes[entity.name] = reserve(TypeNames.wanted(entity, taken: taken))
        }
        for entity in model.entities where ownClasses.contains(entity.name) {
            bases[entity.name] = reserve((classes[entity.name] ?? entity.name) + "Base")
        }
        for name in model.composites.keys.sorted() { composites[name] = reserve(name) }
        list = reserve(listName)
        declared = taken.subtracting(TypeNames.reservedNames)
    }

    /// Two entities may name one class: the first keeps it, and the second gets its entity's name.
    private static func wanted(_ entity: Entity, taken: Set<String>) -> String {
        guard let named = entity.className?.split(separator: ".").last.map(String.init),
            !["", "NSManagedObject", "ManagedObject"].contains(named),
            !taken.contains(SwiftName.identifier(named, notIn: []))
        else { return entity.name }
        return named
    }

    func type(ofEntity name: String) -> String {
        classes[name].map(SwiftName.escaped) ?? library("ManagedObject")
    }

    func made(forEntity name: String) -> String { bases[name] ?? classes[name] ?? name }

    func isOwn(entity name: String) -> Bool { bases[name] != nil }

    func library(_ name: String) -> String {
        guard declared.contains(name), let module = TypeNames.modules[name] else { return name }
        return "\(module).\(name)"
    }
}
