import TributaryChanges
import Yams

extension YAMLModelReader {
    mutating func readAttributes(_ node: Node, of owner: String) throws(ModelError) -> [Attribute] {
        var attributes: [Attribute] = []
        for entry in try YAMLModelFields.entries(of: node, element: owner, file: draft.file) {
            let label = "\(owner), attribute \(entry.key)"
            draft.record(entry.mark?.line, column: entry.mark?.column, of: label)
            if case .scalar(let scalar) = entry.node, !YAMLModelFields.isNull(entry.node) {
                attributes.append(try attribute(entry.key, type: scalar.string, at: entry.mark, element: label))
            } else {
                attributes.append(try readAttribute(entry.key, entry.node, at: entry.mark, element: label))
            }
        }
        return attributes
    }

    /// Reads an attribute with a type such as `String`, or `String?` when it is optional.
    private func attribute(
        _ name: String,
        type text: String,
        at mark: Mark?,
        element: String
    ) throws(ModelError) -> Attribute {
        let isOptional = text.hasSuffix("?")
        let wanted = (isOptional ? String(text.dropLast()) : text).filter { $0 != " " }
        let types = AttributeType.allCases
        guard let type = types.first(where: { $0.rawValue.filter { $0 != " " } == wanted }) else {
            let known = types.map(\.rawValue).joined(separator: ", ")
            throw ModelError(
                "the type '\(text)' is not known; known are \(known)",
                file: draft.file,
                at: mark,
                element: element
            )
        }
        var attribute = Attribute(name: name, type: type)
        attribute.isOptional = isOptional
        return attribute
    }

    private func readAttribute(
        _ name: String,
        _ node: Node,
        at mark: Mark?,
        element: String
    ) throws(ModelError) -> Attribute {
        let fields = try YAMLModelFields(
            node,
            known: [
                "type", "optional", "default", "min", "max", "pattern", "merge", "transient", "derived", "composite",
                "preserve_after_deletion", "external", "transformer", "class", "renamed_from",
                "hash_modifier", "info",
            ],
            element: element,
            file: draft.file
        )
        let composite = try fields.text("composite")
        let isTransient = try fields.flag("transient") ?? false
        var fallback: String?
        if composite != nil { fallback = "Composite" } else if isTransient { fallback = "Undefined" }
        guard let typeText = try fields.text("type") ?? fallback else {
            throw ModelError("the key 'type' is missing", file: draft.file, at: mark, element: element)
        }
        var attribute = try attribute(name, type: typeText, at: mark, element: element)
        attribute.isOptional = try fields.flag("optional") ?? attribute.isOptional
        attribute.isTransient = isTransient
        attribute.compositeName = composite
        attribute.regularExpression = try fields.text("pattern")
        attribute.derivationExpression = try fields.text("derived")
        attribute.preservesValueAfterDeletion = try fields.flag("preserve_after_deletion") ?? false
        attribute.allowsExternalBinaryStorage = try fields.flag("external") ?? false
        attribute.valueTransformerName = try fields.text("transformer")
        attribute.customClassName = try fields.text("class")
        attribute.renamingIdentifier = try fields.text("renamed_from")
        attribute.versionHashModifier = try fields.text("hash_modifier")
        attribute.userInfo = try fields.info("info")
        attribute.defaultValue = try value("default", of: fields) { attribute.type.value(fromModelText: $0) }
        attribute.minimum = try value("min", of: fields) { attribute.type.bound(fromModelText: $0) }
        attribute.maximum = try value("max", of: fields) { attribute.type.bound(fromModelText: $0) }
        if let text = try fields.text("merge") ?? attribute.userInfo[MergeRule.userInfoKey] {
            guard let rule = MergeRule(rawValue: text) else {
                throw fields.error("'\(text)' is none of \(MergeRule.names(lastAfter: "and"))", key: "merge")
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

    mutating func readRelationship(
        _ name: String,
        _ node: Node,
        of owner: String,
        at mark: Mark?
    ) throws(ModelError) -> Relationship {
        let label = "\(owner), relationship \(name)"
        draft.record(mark?.line, column: mark?.column, of: label)
        let fields = try YAMLModelFields(
            node,
            known: [
                "to", "inverse", "many", "ordered", "optional", "min", "max", "delete", "renamed_from", "hash_modifier",
                "info",
            ],
            element: label,
            file: draft.file
        )
        let target = try fields.required("to")
        var relationship = Relationship(
            name: name,
            destination: target.hasSuffix("?") ? String(target.dropLast()) : target
        )
        relationship.inverse = try fields.text("inverse")
        relationship.isToMany = try fields.flag("many") ?? false
        relationship.isOrdered = try fields.flag("ordered") ?? false
        relationship.minimumCount = try fields.count("min") ?? 0
        relationship.maximumCount = try fields.count("max") ?? (relationship.isToMany ? 0 : 1)
        // A to-many relationship is optional unless it has `min`; other properties are mandatory unless they have `?`
        // or `optional`.
        let isOptionalByDefault = target.hasSuffix("?") || (relationship.isToMany && relationship.minimumCount == 0)
        relationship.isOptional = try fields.flag("optional") ?? isOptionalByDefault
        if let text = try fields.text("delete") {
            guard let rule = DeleteRule.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
                throw fields.error("'\(text)' is none of Nullify, Cascade, Deny and No Action", key: "delete")
            }
            relationship.deleteRule = rule
        }
        relationship.renamingIdentifier = try fields.text("renamed_from")
        relationship.versionHashModifier = try fields.text("hash_modifier")
        relationship.userInfo = try fields.info("info")
        return relationship
    }
}
