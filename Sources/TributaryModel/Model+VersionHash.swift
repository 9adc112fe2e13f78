import Crypto
import TributaryChanges

extension Model {
    /// SHA-256, in lower-case hexadecimal, of what the store and the merge know of the model.
    ///
    /// Equal hashes mean that a store needs no migration: names, inheritance, types, optionality, defaults, merge rules,
    /// destinations, inverses, order, uniqueness, indexes and renaming identifiers are in it. The version's name,
    /// validation, delete rules, class names, requests, configurations and user info are not. The same model has the
    /// same hash in every release and from every kind of file.
    public var versionHash: String {
        let description = JSONValue.object([
            JSONMember(key: "tributaryModel", value: .integer(1)),
            JSONMember(key: "entities", value: .array(entities.map(\.canonicalDescription))),
        ])
        let digest = SHA256.hash(data: description.canonicalBytes)
        return digest.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }
}

extension Entity {
    fileprivate var canonicalDescription: JSONValue {
        .object([
            JSONMember(key: "name", value: .string(name)),
            JSONMember(key: "parent", value: .text(parent)),
            JSONMember(key: "abstract", value: .boolean(isAbstract)),
            JSONMember(key: "renamedFrom", value: .text(renamingIdentifier)),
            JSONMember(key: "attributes", value: .array(attributes.map(\.canonicalDescription))),
            JSONMember(key: "relationships", value: .array(relationships.map(\.canonicalDescription))),
            JSONMember(
                key: "unique",
                value: .array(uniquenessConstraints.map { .array($0.map { .string($0) }) })
            ),
            JSONMember(
                key: "indexes",
                value: .array(
                    fetchIndexes.map { index in
                        .array(
                            [.string(index.name)]
                                + index.elements.map { .string($0.isAscending ? $0.property : "-\($0.property)") }
                        )
                    }
                )
            ),
        ])
    }
}

extension Attribute {
    fileprivate var canonicalDescription: JSONValue {
        .object([
            JSONMember(key: "name", value: .string(name)),
            JSONMember(key: "type", value: .string(type.rawValue)),
            JSONMember(key: "optional", value: .boolean(isOptional)),
            JSONMember(key: "transient", value: .boolean(isTransient)),
            JSONMember(key: "default", value: defaultValue.json),
            JSONMember(key: "merge", value: .string(mergeRule.rawValue)),
            JSONMember(key: "renamedFrom", value: .text(renamingIdentifier)),
            JSONMember(key: "composite", value: .array(compositeAttributes.map(\.canonicalDescription))),
        ])
    }
}

extension Relationship {
    fileprivate var canonicalDescription: JSONValue {
        .object([
            JSONMember(key: "name", value: .string(name)),
            JSONMember(key: "to", value: .string(destination)),
            JSONMember(key: "inverse", value: .text(inverse)),
            JSONMember(key: "many", value: .boolean(isToMany)),
            JSONMember(key: "ordered", value: .boolean(isOrdered)),
            JSONMember(key: "optional", value: .boolean(isOptional)),
            JSONMember(key: "renamedFrom", value: .text(renamingIdentifier)),
        ])
    }
}

extension JSONValue {
    fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
