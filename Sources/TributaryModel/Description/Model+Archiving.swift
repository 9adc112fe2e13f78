import TributaryChanges

/// A store keeps the archive to compare later versions with it, without parts that have no effect on the store.
extension Model {
    package var archive: String {
        let types = composites.sorted { $0.key < $1.key }.map { name, attributes in
            JSONMember(key: name, value: .array(attributes.map(\.archived)))
        }
        return JSONValue.members([
            "version": .string(version), "entities": .array(entities.map(\.archived)), "composites": .object(types),
        ]).text
    }

    package init(archive: String) throws(ModelError) {
        guard let value = JSONValue(text: archive) else { throw ModelError("the stored model is not JSON") }
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
        let lists = JSONValue.members(of: [
            "attributes": .array(attributes.map(\.archived)),
            "relationships": .array(relationships.map(\.archived)),
            "unique": .array(uniquenessConstraints.map(JSONValue.texts)),
            "indexes": .array(fetchIndexes.map(\.description)),
        ])
        return .object(
            JSONValue.members(of: ["name": .string(name)])
                + ArchivedFields.members(EntityDefinition.settings, of: definition) + lists
        )
    }
}

extension EntityDefinition {
    fileprivate init(_ fields: ArchivedFields) throws(ModelError) {
        self.init(name: fields.text("name") ?? "")
        try fields.read(EntityDefinition.settings, into: &self)
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
        let members = JSONValue.members(of: [
            "name": .string(name), "type": .string(type.rawValue),
            "default": defaultValue.isNull ? nil : defaultValue.json, "merge": .string(mergeRule.rawValue),
        ])
        return .object(members + ArchivedFields.members(Attribute.settings, of: self))
    }

    fileprivate init(_ fields: ArchivedFields) throws(ModelError) {
        self.init(name: fields.text("name") ?? "", type: try fields.value("type", or: .undefined))
        try fields.read(Attribute.settings, into: &self)
        defaultValue = fields.value["default"].flatMap { type.scalarValue(from: $0) } ?? .null
        mergeRule = try fields.value("merge", or: .latest)
    }
}

extension Relationship {
    fileprivate var archived: JSONValue {
        let members = JSONValue.members(of: [
            "name": .string(name), "to": .string(destination), "delete": .string(deleteRule.rawValue),
        ])
        return .object(members + ArchivedFields.members(Relationship.settings, of: self))
    }

    fileprivate init(_ fields: ArchivedFields) throws(ModelError) {
        self.init(name: fields.text("name") ?? "", destination: fields.text("to") ?? "")
        try fields.read(Relationship.settings, into: &self)
        maximumCount = isToMany ? 0 : 1
        deleteRule = try fields.value("delete", or: .nullify)
    }
}

private struct ArchivedFields: ModelFields {
    let value: JSONValue

    static func keys<Element>(of setting: ModelSetting<Element>) -> [String] { setting.archive.map { [$0] } ?? [] }

    static func members<Element>(_ settings: [ModelSetting<Element>], of element: Element) -> [JSONMember] {
        settings.compactMap { setting in
            guard let key = setting.archive else { return nil }
            switch setting.property {
            case .flag(let path):
                return element[keyPath: path] ? JSONMember(key: key, value: .boolean(true)) : nil
            case .text(let path): return element[keyPath: path].map { JSONMember(key: key, value: .string($0)) }
            }
        }
    }

    static func list(_ value: JSONValue?) -> [ArchivedFields] {
        guard case .array(let values)? = value else { return [] }
        return values.map(ArchivedFields.init)
    }

    func text(_ key: String) -> String? {
        if case .string(let text)? = value[key] { text } else { nil }
    }

    /// Throws for an unknown case: a store must not be merged under another rule or type than before.
    func value<Value: RawRepresentable<String>>(_ key: String, or absent: Value) throws(ModelError) -> Value {
        guard let text = text(key) else { return absent }
        guard let value = Value(rawValue: text) else {
            let name = self.text("name") ?? ""
            throw ModelError("'\(name)' has the \(key) '\(text)' in the store, which this program does not know")
        }
        return value
    }

    func flag(_ key: String) -> Bool? { value[key] == .boolean(true) ? true : nil }

    func list(_ key: String) -> [ArchivedFields] { ArchivedFields.list(value[key]) }

    func texts(_ key: String) -> [[String]] {
        guard case .array(let lists)? = value[key] else { return [] }
        return lists.map { list in
            guard case .array(let words) = list else { return [] }
            return words.compactMap { if case .string(let word) = $0 { word } else { nil } }
        }
    }
}
