import TributaryChanges

extension Model {
    /// The version hash of each entity by name; see ``Entity/versionHash``.
    public var entityVersionHashes: [String: String] {
        Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
    }

    /// The SHA-256, in lower-case hexadecimal, of everything in the model that the store and the merge depend on.
    ///
    /// A store whose hash equals the model's needs no migration. The hash covers names, inheritance, types,
    /// optionality, defaults, merge rules, destinations, inverses, order, uniqueness, indexes and renaming identifiers.
    /// It does not cover the version's name, validation, delete rules, class names, requests, configurations and user
    /// info. A model has one hash in every release and from every kind of file.
    public var versionHash: String {
        knownVersionHash.value {
            let description = JSONValue.object([
                JSONMember(key: "tributaryModel", value: .integer(1)),
                JSONMember(key: "entities", value: .array(entities.map(\.canonicalDescription))),
            ])
            return description.sha256
        }
    }
}

extension Entity {
    /// The SHA-256, in lower-case hexadecimal, of everything in the entity that the store and the merge depend on.
    ///
    /// It covers what ``Model/versionHash`` covers, for the entity's own properties and for inherited uniqueness
    /// constraints and indexes; their order has no effect. A ``versionHashModifier`` of the entity or of a property
    /// changes the hash.
    public var versionHash: String {
        JSONValue.object([
            JSONMember(key: "tributaryEntity", value: .integer(1)),
            JSONMember(key: "entity", value: canonicalDescription),
        ]).sha256
    }

    fileprivate var canonicalDescription: JSONValue {
        .object(
            [
                JSONMember(key: "name", value: .string(name)),
                JSONMember(key: "parent", value: .text(parent)),
                JSONMember(key: "abstract", value: .boolean(isAbstract)),
                JSONMember(key: "renamedFrom", value: .text(renamingIdentifier)),
                JSONMember(key: "attributes", value: .array(attributes.map(\.canonicalDescription))),
                JSONMember(key: "relationships", value: .array(relationships.map(\.canonicalDescription))),
                JSONMember(
                    key: "unique",
                    value: .array(
                        uniquenessConstraints.sorted { $0.lexicographicallyPrecedes($1) }
                            .map { .array($0.map { .string($0) }) }
                    )
                ),
                JSONMember(
                    key: "indexes",
                    value: .array(
                        fetchIndexes.sorted { $0.name < $1.name }.map { index in
                            .array(
                                [.string(index.name)]
                                    + index.elements.map { .string($0.isAscending ? $0.property : "-\($0.property)") }
                            )
                        }
                    )
                ),
            ] + JSONMember.modifier(versionHashModifier)
        )
    }
}

extension Attribute {
    fileprivate var canonicalDescription: JSONValue {
        .object(
            [
                JSONMember(key: "name", value: .string(name)),
                JSONMember(key: "type", value: .string(type.rawValue)),
                JSONMember(key: "optional", value: .boolean(isOptional)),
                JSONMember(key: "transient", value: .boolean(isTransient)),
                JSONMember(key: "default", value: defaultValue.json),
                JSONMember(key: "merge", value: .string(mergeRule.rawValue)),
                JSONMember(key: "renamedFrom", value: .text(renamingIdentifier)),
                JSONMember(key: "composite", value: .array(compositeAttributes.map(\.canonicalDescription))),
            ] + JSONMember.modifier(versionHashModifier)
        )
    }
}

extension Relationship {
    fileprivate var canonicalDescription: JSONValue {
        .object(
            [
                JSONMember(key: "name", value: .string(name)),
                JSONMember(key: "to", value: .string(destination)),
                JSONMember(key: "inverse", value: .text(inverse)),
                JSONMember(key: "many", value: .boolean(isToMany)),
                JSONMember(key: "ordered", value: .boolean(isOrdered)),
                JSONMember(key: "optional", value: .boolean(isOptional)),
                JSONMember(key: "renamedFrom", value: .text(renamingIdentifier)),
            ] + JSONMember.modifier(versionHashModifier)
        )
    }
}

extension JSONMember {
    /// Returns no member without a modifier, so that models without modifiers keep their hashes.
    fileprivate static func modifier(_ text: String?) -> [JSONMember] {
        text.map { [JSONMember(key: "modifier", value: .string($0))] } ?? []
    }
}

extension JSONValue {
    fileprivate var sha256: String {
        SHA256.hash(data: canonicalBytes).hexadecimal
    }

    fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
