/// Reads attributes of XML elements, and reports unknown elements and attributes.
extension XCDataModelReader {
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

    /// Reads the user info of an element, and reports its other children as unknown.
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
