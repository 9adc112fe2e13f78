import Synchronization
import TributaryChanges

extension Model {
    /// The version hash of each entity by name; see ``Entity/versionHash``.
    public var entityVersionHashes: [String: String] {
        Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash) })
    }

    /// The SHA-256, in lower-case hexadecimal, of everything in the model that the store and the merge depend on.
    ///
    /// A store with an equal hash needs no migration. The hash covers names, inheritance, types, optionality, defaults,
    /// merge rules, destinations, inverses, order, uniqueness, indexes and renaming identifiers. It does not cover the
    /// version's name, validation, delete rules, class names, requests, configurations and user info. A model has one
    /// hash in every release and from every kind of file.
    public var versionHash: String {
        knownVersionHash.value {
            let description = JSONValue.members([
                "tributaryModel": .integer(1),
                "entities": .array(entities.map(\.canonicalDescription)),
            ])
            return description.sha256
        }
    }
}

extension Entity {
    /// The SHA-256, in lower-case hexadecimal, of everything in the entity that the store and the merge depend on.
    ///
    /// It covers the same parts as ``Model/versionHash``, for the entity's own properties and for inherited uniqueness
    /// constraints and indexes; their order has no effect. A ``versionHashModifier`` of the entity or of a property
    /// changes the hash.
    public var versionHash: String {
        JSONValue.members([
            "tributaryEntity": .integer(1),
            "entity": canonicalDescription,
        ]).sha256
    }

    fileprivate var canonicalDescription: JSONValue {
        let constraints = uniquenessConstraints.sorted { $0.lexicographicallyPrecedes($1) }
        return JSONValue.members([
            "name": .string(name),
            "parent": .text(parent),
            "abstract": .boolean(isAbstract),
            "renamedFrom": .text(renamingIdentifier),
            "attributes": .array(attributes.map(\.canonicalDescription)),
            "relationships": .array(relationships.map(\.canonicalDescription)),
            "unique": .array(constraints.map(JSONValue.texts)),
            "indexes": .array(fetchIndexes.sorted { $0.name < $1.name }.map(\.description)),
            // A model without modifiers has the same hash as before modifiers existed.
            "modifier": versionHashModifier.map { .string($0) },
        ])
    }
}

extension Attribute {
    fileprivate var canonicalDescription: JSONValue {
        JSONValue.members([
            "name": .string(name),
            "type": .string(type.rawValue),
            "optional": .boolean(isOptional),
            "transient": .boolean(isTransient),
            "default": defaultValue.json,
            "merge": .string(mergeRule.rawValue),
            "renamedFrom": .text(renamingIdentifier),
            "composite": .array(compositeAttributes.map(\.canonicalDescription)),
            "modifier": versionHashModifier.map { .string($0) },
        ])
    }
}

extension Relationship {
    fileprivate var canonicalDescription: JSONValue {
        JSONValue.members([
            "name": .string(name),
            "to": .string(destination),
            "inverse": .text(inverse),
            "many": .boolean(isToMany),
            "ordered": .boolean(isOrdered),
            "optional": .boolean(isOptional),
            "renamedFrom": .text(renamingIdentifier),
            "modifier": versionHashModifier.map { .string($0) },
        ])
    }
}

extension FetchIndex {
    var description: JSONValue { .texts([name] + elements.map(\.signedName)) }
}

extension JSONValue {
    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    fileprivate var sha256: String {
        SHA256.hash(data: canonicalBytes).hexadecimal
    }

    fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

/// The hash is computed at the first access and shared by the copies of the model: its input never changes.
final class LazyVersionHash: Sendable {
    private let known = Mutex<String?>(nil)

    var isKnown: Bool { known.withLock { $0 != nil } }

    func value(_ make: () -> String) -> String {
        known.withLock { known in
            if let known { return known }
            let made = make()
            known = made
            return made
        }
    }
}
