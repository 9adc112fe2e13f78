/// A text or a flag of an entity, an attribute or a relationship, with its key in each form of a model.
struct ModelSetting<Element>: Sendable {
    enum Property: Sendable {
        case flag(any WritableKeyPath<Element, Bool> & Sendable)
        case text(any WritableKeyPath<Element, String?> & Sendable)
    }

    let property: Property
    let yaml: String
    /// The attributes in Xcode's XML: the first text is used, and a flag is set if any attribute sets it.
    let xcode: [String]
    /// Nil for a setting without an effect on the store and the merge.
    let archive: String?

    init(_ property: Property, yaml: String, xcode: [String] = [], archive: String? = nil) {
        (self.property, self.yaml, self.xcode, self.archive) = (property, yaml, xcode, archive)
    }
}

protocol VersionedElement: Sendable {
    var renamingIdentifier: String? { get set }
    var versionHashModifier: String? { get set }
}

extension VersionedElement {
    fileprivate static func versioned(_ settings: [ModelSetting<Self>]) -> [ModelSetting<Self>] {
        let identifiers = ["elementID", "renamingIdentifier"]
        let modifiers = ["versionHashModifier"]
        return settings + [
            ModelSetting(.text(\.renamingIdentifier), yaml: "renamed_from", xcode: identifiers, archive: "renamed"),
            ModelSetting(.text(\.versionHashModifier), yaml: "hash_modifier", xcode: modifiers, archive: "modifier"),
        ]
    }
}

extension EntityDefinition: VersionedElement {
    static let settings: [ModelSetting<Self>] = versioned([
        .init(.text(\.className), yaml: "class", xcode: ["representedClassName"]),
        .init(.flag(\.isAbstract), yaml: "abstract", xcode: ["isAbstract"], archive: "abstract"),
        .init(.text(\.parent), yaml: "parent", xcode: ["parentEntity"], archive: "parent"),
    ])
}

extension Attribute: VersionedElement {
    static let settings: [ModelSetting<Self>] = versioned([
        .init(.flag(\.isOptional), yaml: "optional", xcode: ["optional"], archive: "optional"),
        .init(.flag(\.isTransient), yaml: "transient", xcode: ["transient"], archive: "transient"),
        .init(.text(\.regularExpression), yaml: "pattern", xcode: ["regularExpressionString"]),
        // Xcode keeps the expression of an attribute that is no longer derived.
        .init(.text(\.derivationExpression), yaml: "derived"),
        .init(
            .flag(\.preservesValueAfterDeletion),
            yaml: "preserve_after_deletion",
            xcode: ["preserveAfterDeletion", "preservesValueInHistoryOnDeletion"],
            archive: "preserved"
        ),
        .init(.flag(\.allowsExternalBinaryStorage), yaml: "external", xcode: ["allowsExternalBinaryDataStorage"]),
        .init(.text(\.valueTransformerName), yaml: "transformer", xcode: ["valueTransformerName"]),
        .init(.text(\.customClassName), yaml: "class", xcode: ["customClassName"]),
        .init(.text(\.compositeName), yaml: "composite", xcode: ["composite"], archive: "composite"),
    ])
}

extension Relationship: VersionedElement {
    static let settings: [ModelSetting<Self>] = versioned([
        .init(.text(\.inverse), yaml: "inverse", xcode: ["inverseName"], archive: "inverse"),
        // In Xcode's XML the greatest number of objects decides whether the relationship is to-many.
        .init(.flag(\.isToMany), yaml: "many", archive: "many"),
        .init(.flag(\.isOrdered), yaml: "ordered", xcode: ["ordered"], archive: "ordered"),
        .init(.flag(\.isOptional), yaml: "optional", xcode: ["optional"], archive: "optional"),
    ])
}

protocol ModelFields {
    static func keys<Element>(of setting: ModelSetting<Element>) -> [String]

    func text(_ key: String) throws(ModelError) -> String?

    func flag(_ key: String) throws(ModelError) -> Bool?
}

extension ModelFields {
    func read<Element>(_ settings: [ModelSetting<Element>], into element: inout Element) throws(ModelError) {
        for setting in settings {
            for key in Self.keys(of: setting).reversed() {
                switch setting.property {
                case .flag(let path): if let isOn = try flag(key) { element[keyPath: path] = isOn }
                case .text(let path): if let text = try text(key) { element[keyPath: path] = text }
                }
            }
        }
    }
}
