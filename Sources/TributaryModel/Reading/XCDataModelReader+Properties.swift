import TributaryChanges

extension XCDataModelReader {
    mutating func readAttribute(
        _ element: ModelXMLElement,
        of owner: String,
        indexes: inout [FetchIndex]
    ) throws(ModelError) -> Attribute {
        let name = try required("name", of: element, element: "\(owner), attribute")
        let label = "\(owner), attribute \(name)"
        draft.record(element.line, of: label)
        reportUnknownAttributes(of: element, element: label)
        var attribute = Attribute(name: name, type: .undefined)
        attribute.isTransient = try flag("transient", of: element, element: label)
        if let text = element.attributes["attributeType"] {
            guard let type = AttributeType(rawValue: text) else {
                throw draft.error("the attribute type '\(text)' is not known", line: element.line, element: label)
            }
            attribute.type = type
        } else if !attribute.isTransient {
            throw draft.error(
                "only a transient attribute may do without attributeType",
                line: element.line,
                element: label
            )
        }
        attribute.isOptional = try flag("optional", of: element, element: label)
        attribute.regularExpression = element.attributes["regularExpressionString"]
        if try flag("derived", of: element, element: label) {
            attribute.derivationExpression = element.attributes["derivationExpression"]
        }
        for key in ["preserveAfterDeletion", "preservesValueInHistoryOnDeletion"]
        where try flag(key, of: element, element: label) {
            attribute.preservesValueAfterDeletion = true
        }
        attribute.allowsExternalBinaryStorage = try flag("allowsExternalBinaryDataStorage", of: element, element: label)
        attribute.valueTransformerName = element.attributes["valueTransformerName"]
        attribute.customClassName = element.attributes["customClassName"]
        attribute.compositeName = element.attributes["composite"]
        attribute.renamingIdentifier = element.attributes["elementID"] ?? element.attributes["renamingIdentifier"]
        attribute.versionHashModifier = element.attributes["versionHashModifier"]
        try readValues(of: &attribute, from: element, label: label)
        attribute.userInfo = readUserInfo(of: element)
        attribute.mergeRule = try mergeRule(attribute.userInfo, line: element.line, element: label)
        if try flag("indexed", of: element, element: label), attribute.isStored {
            indexes.append(FetchIndex(name: "by_\(name)", elements: [FetchIndex.Element(name)]))
        }
        return attribute
    }

    /// Dates have keys of their own, in seconds since 2001-01-01.
    private mutating func readValues(
        of attribute: inout Attribute,
        from element: ModelXMLElement,
        label: String
    ) throws(ModelError) {
        let type = attribute.type
        if let text = element.attributes["defaultValueString"], type != .undefined, type == .string || !text.isEmpty {
            if type == .binary || type == .transformable || type == .composite {
                draft.notice("\(label): a default of this type is not supported and is left out", line: element.line)
            } else if let value = texts.value(text, of: type, element: label, line: element.line) {
                attribute.defaultValue = value
            } else {
                throw invalid("default", text, type, element, label)
            }
        }
        if let date = try date("defaultDateTimeInterval", of: element, label: label), type == .date {
            attribute.defaultValue = date
        }
        attribute.minimum = try bound("min", type, element, label)
        attribute.maximum = try bound("max", type, element, label)
    }

    private mutating func bound(
        _ side: String,
        _ type: AttributeType,
        _ element: ModelXMLElement,
        _ label: String
    ) throws(ModelError) -> PropertyValue {
        if type == .date, let date = try date("\(side)DateTimeInterval", of: element, label: label) { return date }
        guard let text = element.attributes["\(side)ValueString"], !text.isEmpty else { return .null }
        if type == .date, let seconds = Double(text) { return .date(DateValue(secondsSinceReferenceDate: seconds)) }
        let read = texts.bound(text, isMaximum: side == "max", of: type, element: label, line: element.line)
        guard let value = read else { throw invalid(side, text, type, element, label) }
        return value
    }

    private func date(_ key: String, of element: ModelXMLElement, label: String) throws(ModelError) -> PropertyValue? {
        guard let text = element.attributes[key] else { return nil }
        guard let seconds = Double(text), seconds.isFinite else {
            throw draft.error("\(key) is '\(text)', not a number of seconds", line: element.line, element: label)
        }
        return .date(DateValue(secondsSinceReferenceDate: seconds))
    }

    private func invalid(
        _ what: String,
        _ text: String,
        _ type: AttributeType,
        _ element: ModelXMLElement,
        _ label: String
    ) -> ModelError {
        draft.error("the \(what) '\(text)' does not fit the type \(type.rawValue)", line: element.line, element: label)
    }

    mutating func readRelationship(
        _ element: ModelXMLElement,
        of owner: String
    ) throws(ModelError) -> Relationship {
        let name = try required("name", of: element, element: "\(owner), relationship")
        let label = "\(owner), relationship \(name)"
        draft.record(element.line, of: label)
        reportUnknownAttributes(of: element, element: label)
        let destination = try required("destinationEntity", of: element, element: label)
        var relationship = Relationship(name: name, destination: destination)
        relationship.inverse = element.attributes["inverseName"]
        relationship.minimumCount = try count("minCount", of: element, element: label)
        relationship.maximumCount = try count("maxCount", of: element, element: label)
        relationship.isToMany = relationship.maximumCount != 1
        if try flag("toMany", of: element, element: label), !relationship.isToMany {
            draft.notice("\(label): toMany with maxCount 1 is read as to-one", line: element.line)
        }
        relationship.isOptional = try flag("optional", of: element, element: label)
        relationship.isOrdered = try flag("ordered", of: element, element: label)
        if relationship.isOrdered, !relationship.isToMany {
            relationship.isOrdered = false
            draft.notice("\(label): a to-one relationship has no order", line: element.line)
        }
        if let text = element.attributes["deletionRule"] {
            guard let rule = DeleteRule(rawValue: text) else {
                throw draft.error("the deletion rule '\(text)' is not known", line: element.line, element: label)
            }
            relationship.deleteRule = rule
        }
        relationship.renamingIdentifier = element.attributes["elementID"] ?? element.attributes["renamingIdentifier"]
        relationship.versionHashModifier = element.attributes["versionHashModifier"]
        relationship.userInfo = readUserInfo(of: element)
        guard try mergeRule(relationship.userInfo, line: element.line, element: label) == .latest else {
            throw draft.error("relationships have the merge rule 'latest' only", line: element.line, element: label)
        }
        return relationship
    }

    private func mergeRule(_ info: [String: String], line: Int, element: String) throws(ModelError) -> MergeRule {
        guard let text = info[MergeRule.userInfoKey] else { return .latest }
        guard let rule = MergeRule(rawValue: text) else {
            throw draft.error(
                "\(MergeRule.userInfoKey) is '\(text)'; it is \(MergeRule.names(lastAfter: "or"))",
                line: line,
                element: element
            )
        }
        return rule
    }

    func required(_ key: String, of xml: ModelXMLElement, element: String) throws(ModelError) -> String {
        guard let value = xml.attributes[key], !value.isEmpty else {
            throw draft.error("<\(xml.name)> has no '\(key)'", line: xml.line, element: element)
        }
        return value
    }

    /// Reads YES or NO; a missing attribute is NO.
    func flag(_ key: String, of xml: ModelXMLElement, element: String) throws(ModelError) -> Bool {
        switch xml.attributes[key] {
        case nil, "NO": return false
        case "YES": return true
        case let text?: throw draft.error("\(key) is '\(text)', neither YES nor NO", line: xml.line, element: element)
        }
    }

    /// Reads a number of objects; a missing attribute is 0.
    func count(_ key: String, of xml: ModelXMLElement, element: String) throws(ModelError) -> Int {
        guard let text = xml.attributes[key] else { return 0 }
        guard let number = Int(text), number >= 0 else {
            throw draft.error("\(key) is '\(text)', not a number", line: xml.line, element: element)
        }
        return number
    }

    func readUserInfo(_ xml: ModelXMLElement) -> [String: String] {
        var info: [String: String] = [:]
        for entry in xml.children(named: "entry") {
            if let key = entry.attributes["key"] { info[key] = entry.attributes["value"] ?? "" }
        }
        return info
    }

    mutating func readUserInfo(of xml: ModelXMLElement) -> [String: String] {
        var info: [String: String] = [:]
        for child in xml.children {
            if child.name == "userInfo" { info = readUserInfo(child) } else { reportUnknown(child, in: xml) }
        }
        return info
    }

    mutating func reportUnknown(_ child: ModelXMLElement, in parent: ModelXMLElement) {
        draft.notice("the element <\(child.name)> in <\(parent.name)> is not known and is left out", line: child.line)
    }

    mutating func reportUnknownAttributes(of xml: ModelXMLElement, element: String) {
        guard let known = XCDataModelReader.knownAttributes[xml.name] else { return }
        for key in xml.attributes.keys.sorted() where !known.contains(key) {
            draft.notice("the attribute '\(key)' of <\(xml.name)> is not known and is left out", line: xml.line)
        }
    }

    private static let everywhere: Set<String> = [
        "name", "syncable", "elementID", "renamingIdentifier", "versionHashModifier",
    ]

    /// Attributes that are read, and known attributes that have no effect here.
    private static let knownAttributes: [String: Set<String>] = [
        "model": everywhere.union([
            "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
            "sourceLanguage",
            "userDefinedModelVersionIdentifier", "macOSVersion", "iOSVersion", "tvOSVersion", "watchOSVersion",
            "usedWithCloudKit", "usedWithSwiftData",
        ]),
        "entity": everywhere.union([
            "representedClassName", "parentEntity", "isAbstract", "codeGenerationType",
            "coreSpotlightDisplayNameExpression", "spotlightIndexingEnabled",
        ]),
        "attribute": everywhere.union([
            "optional", "transient", "indexed", "attributeType", "defaultValueString", "defaultDateTimeInterval",
            "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval", "regularExpressionString",
            "derived", "derivationExpression", "usesScalarValueType", "customClassName", "valueTransformerName",
            "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "preservesValueInHistoryOnDeletion",
            "composite",
            "storedInTruthFile", "spotlightIndexingEnabled", "allowsCloudEncryption",
        ]),
        "relationship": everywhere.union([
            "optional", "transient", "indexed", "toMany", "minCount", "maxCount", "deletionRule", "ordered",
            "destinationEntity", "inverseName", "inverseEntity", "storedInTruthFile", "spotlightIndexingEnabled",
        ]),
        "fetchRequest": everywhere.union([
            "entity", "predicateString", "fetchLimit", "fetchBatchSize", "resultType", "includeSubentities",
            "includesSubentities", "includePropertyValues", "includesPropertyValues", "includesPendingChanges",
            "returnObjectsAsFaults", "returnsObjectsAsFaults", "returnDistinctResults", "returnsDistinctResults",
        ]),
    ]
}

extension MergeRule {
    /// Returns a list such as `latest, max, min or counter`, with the word before the last name.
    static func names(lastAfter word: String) -> String {
        let names = allCases.map(\.rawValue)
        return "\(names.dropLast().joined(separator: ", ")) \(word) \(names.last ?? "")"
    }
}
