import TributaryChanges

/// The archive of a model that a store keeps, to compare later versions with it when the model file is gone.
///
/// The archive has everything that the store, the merge and the version hash depend on. It has no validation, classes,
/// fetch requests and user info.
extension Model {
    package var archive: String {
        JSONValue.object([
            JSONMember(key: "version", value: .string(version)),
            JSONMember(key: "entities", value: .array(entities.map(\.archived))),
            JSONMember(
                key: "composites",
                value: .object(
                    composites.sorted { $0.key < $1.key }
                        .map { JSONMember(key: $0.key, value: .array($0.value.map(\.archived))) }
                )
            ),
        ]).text
    }

    package init(archive: String) throws(ModelError) {
        guard let value = JSONValue(text: archive) else { throw ModelError("the stored model is no JSON") }
        let fields = ArchivedFields(value: value)
        var composites: [String: [Attribute]] = [:]
        if case .object(let members)? = value["composites"] {
            for member in members {
                composites[member.key] = try ArchivedFields.list(member.value).map(Attribute.init)
            }
        }
        let definitions = try fields.list("entities").map(EntityDefinition.init)
        let resolver = try ModelResolver(definitions: definitions, composites: composites, isArchived: true)
        try self.init(version: fields.text("version") ?? "", resolver)
    }
}

extension Entity {
    fileprivate var archived: JSONValue {
        ArchivedFields.object([
            ("name", .string(name)), ("parent", .name(parent)), ("abstract", .flag(isAbstract)),
            ("renamed", .name(renamingIdentifier)), ("modifier", .name(versionHashModifier)),
            ("attributes", .array(attributes.map(\.archived))),
            ("relationships", .array(relationships.map(\.archived))),
            ("unique", .array(uniquenessConstraints.map(JSONValue.texts))),
            ("indexes", .array(fetchIndexes.map(\.description))),
        ])
    }
}

extension EntityDefinition {
    fileprivate init(_ fields: ArchivedFields) throws(ModelError) {
        self.init(name: fields.text("name") ?? "")
        parent = fields.text("parent")
        isAbstract = fields.flag("abstract")
        renamingIdentifier = fields.text("renamed")
        versionHashModifier = fields.text("modifier")
        attributes = try fields.list("attributes").map(Attribute.init)
        relationships = try fields.list("relationships").map(Relationship.init)
        uniquenessConstraints = fields.texts("unique")
        fetchIndexes = fields.texts("indexes").compactMap { words in
            guard let name = words.first else { return nil }
            return FetchIndex(name: name, elements: words.dropFirst().map(FetchIndex.Element.init(signedName:)))
        }
    }
}

extension Attribute {
    fileprivate var archived: JSONValue {
        ArchivedFields.object([
            ("name", .string(name)), ("type", .string(type.rawValue)), ("optional", .flag(isOptional)),
            ("transient", .flag(isTransient)), ("default", defaultValue.isNull ? nil : defaultValue.json),
            ("merge", .string(mergeRule.rawValue)), ("composite", .name(compositeName)),
            ("preserved", .flag(preservesValueAfterDeletion)),
            ("renamed", .name(renamingIdentifier)), ("modifier", .name(versionHashModifier)),
        ])
    }

    fileprivate init(_ fields: ArchivedFields) throws(ModelError) {
        self.init(name: fields.text("name") ?? "", type: try fields.value("type", or: .undefined))
        isOptional = fields.flag("optional")
        isTransient = fields.flag("transient")
        defaultValue = fields.value["default"].flatMap { type.scalarValue(from: $0) } ?? .null
        mergeRule = try fields.value("merge", or: .latest)
        compositeName = fields.text("composite")
        preservesValueAfterDeletion = fields.flag("preserved")
        renamingIdentifier = fields.text("renamed")
        versionHashModifier = fields.text("modifier")
    }
}

extension Relationship {
    fileprivate var archived: JSONValue {
        ArchivedFields.object([
            ("name", .string(name)), ("to", .string(destination)), ("inverse", .name(inverse)),
            ("many", .flag(isToMany)), ("ordered", .flag(isOrdered)), ("optional", .flag(isOptional)),
            ("delete", .string(deleteRule.rawValue)),
            ("renamed", .name(renamingIdentifier)), ("modifier", .name(versionHashModifier)),
        ])
    }

    fileprivate init(_ fields: ArchivedFields) throws(ModelError) {
        self.init(name: fields.text("name") ?? "", destination: fields.text("to") ?? "")
        inverse = fields.text("inverse")
        isToMany = fields.flag("many")
        maximumCount = isToMany ? 0 : 1
        isOrdered = fields.flag("ordered")
        isOptional = fields.flag("optional")
        deleteRule = try fields.value("delete", or: .nullify)
        renamingIdentifier = fields.text("renamed")
        versionHashModifier = fields.text("modifier")
    }
}

extension Optional where Wrapped == JSONValue {
    fileprivate static func string(_ text: String) -> JSONValue? { .some(.string(text)) }
    fileprivate static func array(_ values: [JSONValue]) -> JSONValue? { .some(.array(values)) }
    fileprivate static func name(_ text: String?) -> JSONValue? { text.map { .string($0) } }
    fileprivate static func flag(_ isOn: Bool) -> JSONValue? { isOn ? .some(.boolean(true)) : nil }
}

struct ArchivedFields {
    let value: JSONValue

    static func object(_ members: [(key: String, value: JSONValue?)]) -> JSONValue {
        .object(members.compactMap { member in member.value.map { JSONMember(key: member.key, value: $0) } })
    }

    static func list(_ value: JSONValue?) -> [ArchivedFields] {
        guard case .array(let values)? = value else { return [] }
        return values.map(ArchivedFields.init)
    }

    func text(_ key: String) -> String? {
        if case .string(let text)? = value[key] { text } else { nil }
    }

    /// The case that the text under a key names; a store must not be merged under another rule or type than the one
    /// that it was made with, so that an unknown case is an error.
    func value<Value: RawRepresentable<String>>(_ key: String, or absent: Value) throws(ModelError) -> Value {
        guard let text = text(key) else { return absent }
        guard let value = Value(rawValue: text) else {
            let name = self.text("name") ?? ""
            throw ModelError("'\(name)' has the \(key) '\(text)' in the store, which this program does not know")
        }
        return value
    }

    func flag(_ key: String) -> Bool { value[key] == .boolean(true) }

    func list(_ key: String) -> [ArchivedFields] { ArchivedFields.list(value[key]) }

    func texts(_ key: String) -> [[String]] {
        guard case .array(let lists)? = value[key] else { return [] }
        return lists.map { list in
            guard case .array(let words) = list else { return [] }
            return words.compactMap { if case .string(let word) = $0 { word } else { nil } }
        }
    }
}
