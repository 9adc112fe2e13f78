import TributaryModel

/// The Swift types of attributes in generated code.
struct AttributeSource {
    let names: TypeNames
    let options: GeneratorOptions

    func type(of attribute: Attribute) -> String {
        attribute.isOptional || isRegistered(attribute) ? base(attribute) + "?" : base(attribute)
    }

    /// Returns the class of a transformable attribute whose transformer is registered with the container; nil for
    /// others.
    func registeredType(of attribute: Attribute) -> String? {
        isRegistered(attribute) ? base(attribute) : nil
    }

    /// Whether a transformable attribute has a class of the program and a transformer that the model names; the
    /// system's own transformers give plain bytes.
    private func isRegistered(_ attribute: Attribute) -> Bool {
        guard attribute.type == .transformable, let name = attribute.valueTransformerName, !name.isEmpty else {
            return false
        }
        return base(attribute) != names.library("Data") && !(name.hasPrefix("NS") && name.contains("UnarchiveFromData"))
    }

    /// Returns the attribute's type in the snapshot, which has the bytes of a transformable attribute.
    func snapshotType(of attribute: Attribute) -> String {
        let base = attribute.type == .transformable ? names.library("Data") : base(attribute)
        return attribute.isOptional ? base + "?" : base
    }

    /// Whether a file with attributes of these types needs Foundation.
    static func needsFoundation(_ types: [AttributeType]) -> Bool {
        let own: Set<AttributeType> = [.date, .binary, .transformable, .decimal, .uuid, .uri]
        return !own.isDisjoint(with: types)
    }

    private func base(_ attribute: Attribute) -> String {
        switch attribute.type {
        case .string: names.library("String")
        case .integer16: names.library("Int16")
        case .integer32: names.library("Int32")
        case .integer64: names.library("Int64")
        case .boolean: names.library("Bool")
        case .date: names.library("Date")
        case .binary: names.library("Data")
        case .transformable: transformable(attribute)
        case .double: names.library("Double")
        case .float: names.library("Float")
        case .decimal: names.library("Decimal")
        case .uuid: names.library("UUID")
        case .uri: names.library("URL")
        case .composite:
            attribute.compositeName.flatMap { names.composites[$0] }.map(SwiftName.escaped)
                ?? names.library("PropertyValue")
        case .undefined: names.library("PropertyValue")
        }
    }

    private func transformable(_ attribute: Attribute) -> String {
        guard options.usesTransformableClasses, let name = attribute.customClassName,
            SwiftName.identifier(name, notIn: []) == name
        else { return names.library("Data") }
        return SwiftName.escaped(name)
    }
}
