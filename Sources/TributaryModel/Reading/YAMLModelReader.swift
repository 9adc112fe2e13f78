import Foundation
import TributaryChanges
import Yams

struct YAMLModelReader {
    private typealias Entry = YAMLModelFields.Entry

    private var draft: ModelDraft

    static func read(_ text: String, file: String?) throws(ModelError) -> Model {
        guard let root = try compose(text, file: file), !YAMLModelFields.isNull(root) else {
            throw ModelError("the model is empty", file: file)
        }
        let fields = try YAMLModelFields(
            root,
            known: ["version", "entities", "composites", "requests", "configurations"],
            element: "model",
            file: file
        )
        var reader = YAMLModelReader(draft: ModelDraft(version: try fields.text("version") ?? "1", file: file))
        try reader.readModel(fields)
        return try reader.draft.resolve()
    }

    private static func compose(_ text: String, file: String?) throws(ModelError) -> Node? {
        guard text.utf8.count <= ModelFile.maximumBytes else {
            throw ModelError("the text has \(text.utf8.count) bytes, a model has 16 MiB at most", file: file)
        }
        let root: Node?
        do throws(YAMLFault) {
            root = try YAMLKeys.compose(text)
        } catch {
            var located = ModelError(error.reason, file: file, line: error.line)
            located.column = error.column
            throw located
        }
        guard let root else { return nil }
        var left = max(leastNodes, text.utf8.count)
        try count(root, from: &left, file: file)
        return root
    }

    /// Even a short text may have so many nodes, with expanded aliases; a longer text may have one for each byte.
    private static let leastNodes = 100_000
    private static let maximumDepth = 32

    private static func count(
        _ node: Node,
        from left: inout Int,
        depth: Int = 1,
        file: String?
    ) throws(ModelError) {
        left -= 1
        guard left >= 0 else {
            throw ModelError("the aliases stand for more than a model can have", file: file, at: node.mark)
        }
        guard depth <= maximumDepth else {
            throw ModelError("the values nest more than \(maximumDepth) deep", file: file, at: node.mark)
        }
        switch node {
        case .scalar, .alias: return
        case .sequence(let sequence):
            for child in sequence { try count(child, from: &left, depth: depth + 1, file: file) }
        case .mapping(let mapping):
            for (key, value) in mapping {
                try count(key, from: &left, depth: depth + 1, file: file)
                try count(value, from: &left, depth: depth + 1, file: file)
            }
        }
    }

    private mutating func readModel(_ fields: YAMLModelFields) throws(ModelError) {
        for entry in try fields.entries("composites") {
            draft.composites[entry.key] = try readAttributes(entry.node, of: label(of: entry, "composite"))
        }
        for entry in try fields.entries("entities") {
            draft.entities.append(try readEntity(entry))
        }
        let names = Set(draft.entities.map(\.name))
        for entry in try fields.entries("requests") {
            draft.fetchRequests[entry.key] = try readRequest(entry, entities: names)
        }
        for entry in try fields.entries("configurations") {
            let members = try fields.names(in: entry.node, key: "configurations")
            if let missing = members.first(where: { !names.contains($0) }) {
                throw error(
                    "the entity '\(missing)' does not exist",
                    at: entry.mark,
                    element: "configuration \(entry.key)"
                )
            }
            draft.configurations[entry.key] = members
        }
    }

    private func error(_ reason: String, at mark: Mark?, element: String) -> ModelError {
        ModelError(reason, file: draft.file, at: mark, element: element)
    }

    private mutating func label(of entry: Entry, _ kind: String) -> String {
        let label = "\(kind) \(entry.key)"
        draft.record(entry.mark?.line, column: entry.mark?.column, of: label)
        return label
    }

    private mutating func fields(
        of entry: Entry,
        _ kind: String,
        known: [String]
    ) throws(ModelError) -> YAMLModelFields {
        let label = label(of: entry, kind)
        return try YAMLModelFields(entry.node, known: known, element: label, file: draft.file)
    }

    private mutating func readEntity(_ entry: Entry) throws(ModelError) -> EntityDefinition {
        let fields = try fields(
            of: entry,
            "entity",
            known: [
                "parent", "abstract", "class", "attributes", "relationships", "unique", "indexes", "renamed_from",
                "hash_modifier", "info",
            ]
        )
        var entity = EntityDefinition(name: entry.key)
        try fields.read(EntityDefinition.settings, into: &entity)
        entity.userInfo = try fields.info("info")
        if let node = fields.node("attributes") { entity.attributes = try readAttributes(node, of: fields.element) }
        for entry in try fields.entries("relationships") {
            entity.relationships.append(try readRelationship(entry, of: fields.element))
        }
        if let unique = fields.node("unique") { entity.uniquenessConstraints = try readUnique(unique, fields) }
        for entry in try fields.entries("indexes") {
            let elements = try fields.names(in: entry.node, key: "indexes").map(FetchIndex.Element.init(signedName:))
            guard !elements.isEmpty else { throw fields.error("the index '\(entry.key)' is empty", key: "indexes") }
            entity.fetchIndexes.append(FetchIndex(name: entry.key, elements: elements))
        }
        return entity
    }

    /// Reads `name`, `[name, code]` (each unique for itself) or `[[first, last], code]`.
    private func readUnique(_ node: Node, _ fields: YAMLModelFields) throws(ModelError) -> [[String]] {
        guard case .sequence(let sequence) = node else { return [try fields.names(in: node, key: "unique")] }
        var constraints: [[String]] = []
        for item in sequence { constraints.append(try fields.names(in: item, key: "unique")) }
        return constraints
    }

    private mutating func readRequest(
        _ entry: Entry,
        entities: Set<String>
    ) throws(ModelError) -> StoredFetchRequest {
        let fields = try fields(of: entry, "request", known: ["entity", "where", "limit", "batch", "subentities"])
        var request = StoredFetchRequest(name: entry.key, entity: try fields.required("entity"))
        guard entities.contains(request.entity) else {
            throw fields.error("the entity '\(request.entity)' does not exist", key: "entity")
        }
        request.predicate = try fields.text("where")
        if let predicate = request.predicate {
            do {
                _ = try ObjectPredicate(parsing: predicate)
            } catch {
                throw fields.error("\(error)", key: "where")
            }
        }
        request.fetchLimit = try fields.count("limit") ?? 0
        request.fetchBatchSize = try fields.count("batch") ?? 0
        request.includesSubentities = try fields.flag("subentities") ?? true
        return request
    }

    private mutating func readAttributes(_ node: Node, of owner: String) throws(ModelError) -> [Attribute] {
        var attributes: [Attribute] = []
        for entry in try YAMLModelFields.entries(of: node, element: owner, file: draft.file) {
            attributes.append(try readAttribute(entry, of: owner))
        }
        return attributes
    }

    private func attribute(_ entry: Entry, type text: String, element: String) throws(ModelError) -> Attribute {
        let isOptional = text.hasSuffix("?")
        let wanted = (isOptional ? String(text.dropLast()) : text).filter { $0 != " " }
        let types = AttributeType.allCases
        guard let type = types.first(where: { $0.rawValue.filter { $0 != " " } == wanted }) else {
            let known = types.map(\.rawValue).joined(separator: ", ")
            throw error("the type '\(text)' is not known; known are \(known)", at: entry.mark, element: element)
        }
        var attribute = Attribute(name: entry.key, type: type)
        attribute.isOptional = isOptional
        return attribute
    }

    private mutating func readAttribute(_ entry: Entry, of owner: String) throws(ModelError) -> Attribute {
        let kind = "\(owner), attribute"
        if case .scalar(let scalar) = entry.node, !YAMLModelFields.isNull(entry.node) {
            return try attribute(entry, type: scalar.string, element: label(of: entry, kind))
        }
        let fields = try fields(
            of: entry,
            kind,
            known: [
                "type", "optional", "default", "min", "max", "pattern", "merge", "transient", "derived", "composite",
                "preserve_after_deletion", "external", "transformer", "class", "renamed_from",
                "hash_modifier", "info",
            ]
        )
        var fallback: String?
        if try fields.flag("transient") == true { fallback = "Undefined" }
        if try fields.text("composite") != nil { fallback = "Composite" }
        guard let typeText = try fields.text("type") ?? fallback else {
            throw error("the key 'type' is missing", at: entry.mark, element: fields.element)
        }
        var attribute = try attribute(entry, type: typeText, element: fields.element)
        try fields.read(Attribute.settings, into: &attribute)
        attribute.userInfo = try fields.info("info")
        attribute.defaultValue = try value("default", of: fields) { attribute.type.value(fromModelText: $0) }
        attribute.minimum = try value("min", of: fields) { attribute.type.bound(fromModelText: $0) }
        attribute.maximum = try value("max", of: fields) { attribute.type.bound(fromModelText: $0) }
        if let text = try fields.text("merge") ?? attribute.userInfo[MergeRule.userInfoKey] {
            guard let rule = MergeRule(rawValue: text) else {
                throw fields.error("'\(text)' is not one of \(MergeRule.names(lastAfter: "and"))", key: "merge")
            }
            attribute.mergeRule = rule
        }
        return attribute
    }

    private func value(
        _ key: String,
        of fields: YAMLModelFields,
        _ read: (String) -> PropertyValue?
    ) throws(ModelError) -> PropertyValue {
        guard let text = try fields.text(key) else { return .null }
        guard let value = read(text) else { throw fields.error("'\(text)' does not fit the type", key: key) }
        return value
    }

    private mutating func readRelationship(_ entry: Entry, of owner: String) throws(ModelError) -> Relationship {
        let fields = try fields(
            of: entry,
            "\(owner), relationship",
            known: [
                "to", "inverse", "many", "ordered", "optional", "min", "max", "delete", "renamed_from", "hash_modifier",
                "info",
            ]
        )
        let target = try fields.required("to")
        let destination = target.hasSuffix("?") ? String(target.dropLast()) : target
        var relationship = Relationship(name: entry.key, destination: destination)
        try fields.read(Relationship.settings, into: &relationship)
        relationship.minimumCount = try fields.count("min") ?? 0
        relationship.maximumCount = try fields.count("max") ?? (relationship.isToMany ? 0 : 1)
        // A to-many relationship is optional unless it has `min`; other properties are mandatory unless they have `?`
        // or `optional`.
        let isOptionalByDefault = target.hasSuffix("?") || (relationship.isToMany && relationship.minimumCount == 0)
        relationship.isOptional = try fields.flag("optional") ?? isOptionalByDefault
        if let text = try fields.text("delete") {
            guard let rule = DeleteRule.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
                throw fields.error("'\(text)' is not one of Nullify, Cascade, Deny and No Action", key: "delete")
            }
            relationship.deleteRule = rule
        }
        relationship.userInfo = try fields.info("info")
        return relationship
    }
}

struct YAMLModelFields: ModelFields {
    typealias Entry = (key: String, node: Node, mark: Mark?)

    let element: String
    let mark: Mark?
    private let file: String?
    private var nodes: [String: Node] = [:]
    private var marks: [String: Mark] = [:]

    init(_ node: Node, known: [String], element: String, file: String?) throws(ModelError) {
        self.element = element
        self.file = file
        mark = node.mark
        for entry in try YAMLModelFields.entries(of: node, element: element, file: file) {
            guard known.contains(entry.key) else {
                throw ModelError(
                    "the key '\(entry.key)' is not known; known are \(known.joined(separator: ", "))",
                    file: file,
                    at: entry.mark,
                    element: element
                )
            }
            nodes[entry.key] = entry.node
            marks[entry.key] = entry.mark
        }
    }

    static func keys<Element>(of setting: ModelSetting<Element>) -> [String] { [setting.yaml] }

    static func entries(of node: Node, element: String, file: String?) throws(ModelError) -> [Entry] {
        if isNull(node) { return [] }
        guard case .mapping(let mapping) = node else {
            throw ModelError("a mapping is expected here (key: value)", file: file, at: node.mark, element: element)
        }
        var result: [Entry] = []
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key else {
                throw ModelError("a key must be a name", file: file, at: key.mark, element: element)
            }
            result.append((scalar.string, value, key.mark))
        }
        return result
    }

    static func isNull(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    func error(_ reason: String, key: String) -> ModelError {
        ModelError("\(key): \(reason)", file: file, at: marks[key] ?? mark, element: element)
    }

    func node(_ key: String) -> Node? { nodes[key] }

    func entries(_ key: String) throws(ModelError) -> [Entry] {
        guard let node = nodes[key] else { return [] }
        return try YAMLModelFields.entries(of: node, element: key, file: file)
    }

    /// Returns the text unchanged, without YAML's types: `no` is the text "no".
    func text(_ key: String) throws(ModelError) -> String? {
        guard let node = nodes[key], !YAMLModelFields.isNull(node) else { return nil }
        guard case .scalar(let scalar) = node else { throw error("one value is expected", key: key) }
        return scalar.string
    }

    func required(_ key: String) throws(ModelError) -> String {
        guard let text = try text(key), !text.isEmpty else {
            throw ModelError("the key '\(key)' is missing", file: file, at: mark, element: element)
        }
        return text
    }

    func flag(_ key: String) throws(ModelError) -> Bool? {
        switch try text(key) {
        case nil: return nil
        case "true"?: return true
        case "false"?: return false
        case let text?: throw error("'\(text)' is neither true nor false", key: key)
        }
    }

    func count(_ key: String) throws(ModelError) -> Int? {
        guard let text = try text(key) else { return nil }
        guard let number = Int(text), number >= 0 else { throw error("'\(text)' is not a number of objects", key: key) }
        return number
    }

    func names(in node: Node, key: String) throws(ModelError) -> [String] {
        switch node {
        case .scalar(let scalar): return [scalar.string]
        case .sequence(let sequence):
            var names: [String] = []
            for item in sequence {
                guard case .scalar(let scalar) = item else { throw error("a list of names is expected", key: key) }
                names.append(scalar.string)
            }
            return names
        default: throw error("a list of names is expected", key: key)
        }
    }

    func info(_ key: String) throws(ModelError) -> [String: String] {
        guard let node = nodes[key] else { return [:] }
        var info: [String: String] = [:]
        for entry in try YAMLModelFields.entries(of: node, element: element, file: file) {
            guard case .scalar(let scalar) = entry.node else {
                throw error("'\(entry.key)' must have one value", key: key)
            }
            info[entry.key] = scalar.string
        }
        return info
    }
}

extension ModelError {
    init(_ reason: String, file: String?, at mark: Mark?, element: String? = nil) {
        self.init(reason, file: file, line: mark?.line, element: element)
        column = mark?.column
    }
}
