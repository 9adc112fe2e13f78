import TributaryChanges

/// The attributes of an XML element that describes an element of a model.
struct XcodeFields: ModelFields {
    let xml: ModelXMLElement
    /// The element of the model, such as `entity Employee, attribute salary`.
    let label: String
    let file: String?

    static func keys<Element>(of setting: ModelSetting<Element>) -> [String] { setting.xcode }

    func error(_ reason: String) -> ModelError { ModelError(reason, file: file, line: xml.line, element: label) }

    func text(_ key: String) -> String? { xml.attributes[key] }

    func required(_ key: String) throws(ModelError) -> String {
        guard let value = text(key), !value.isEmpty else { throw error("<\(xml.name)> has no '\(key)'") }
        return value
    }

    /// Reads YES or NO; a missing attribute is NO.
    func flag(_ key: String) throws(ModelError) -> Bool? {
        switch text(key) {
        case nil, "NO": return nil
        case "YES": return true
        case let text?: throw error("\(key) is '\(text)', neither YES nor NO")
        }
    }

    /// Reads a number of objects; a missing attribute is 0.
    func count(_ key: String) throws(ModelError) -> Int {
        guard let text = text(key) else { return 0 }
        guard let number = Int(text), number >= 0 else { throw error("\(key) is '\(text)', not a number") }
        return number
    }

    /// Reads a date, which is written in seconds since 2001-01-01.
    func date(_ key: String) throws(ModelError) -> PropertyValue? {
        guard let text = text(key) else { return nil }
        guard let seconds = Double(text), seconds.isFinite else {
            throw error("\(key) is '\(text)', not a number of seconds")
        }
        return .date(DateValue(secondsSinceReferenceDate: seconds))
    }

    func mergeRule(in info: [String: String]) throws(ModelError) -> MergeRule {
        guard let text = info[MergeRule.userInfoKey] else { return .latest }
        guard let rule = MergeRule(rawValue: text) else {
            throw error("\(MergeRule.userInfoKey) is '\(text)'; it is \(MergeRule.names(lastAfter: "or"))")
        }
        return rule
    }
}

extension XCDataModelReader {
    /// Returns the name and the fields of an element, after recording its place and reporting what is not known.
    mutating func fields(
        of xml: ModelXMLElement,
        _ kind: String
    ) throws(ModelError) -> (name: String, fields: XcodeFields) {
        let name = try XcodeFields(xml: xml, label: kind, file: draft.file).required("name")
        let fields = XcodeFields(xml: xml, label: "\(kind) \(name)", file: draft.file)
        draft.record(xml.line, of: fields.label)
        reportUnknownAttributes(of: xml)
        return (name, fields)
    }

    mutating func readAttribute(
        _ element: ModelXMLElement,
        of owner: String,
        indexes: inout [FetchIndex]
    ) throws(ModelError) -> Attribute {
        let (name, fields) = try fields(of: element, "\(owner), attribute")
        var attribute = Attribute(name: name, type: .undefined)
        try fields.read(Attribute.settings, into: &attribute)
        if let text = fields.text("attributeType") {
            guard let type = AttributeType(rawValue: text) else {
                throw fields.error("the attribute type '\(text)' is not known")
            }
            attribute.type = type
        } else if !attribute.isTransient {
            throw fields.error("only a transient attribute may do without attributeType")
        }
        if try fields.flag("derived") == true { attribute.derivationExpression = fields.text("derivationExpression") }
        try readValues(of: &attribute, from: fields)
        attribute.userInfo = readUserInfo(of: element)
        attribute.mergeRule = try fields.mergeRule(in: attribute.userInfo)
        if try fields.flag("indexed") == true, attribute.isStored {
            indexes.append(FetchIndex(name: "by_\(name)", elements: [FetchIndex.Element(name)]))
        }
        return attribute
    }

    /// Dates have keys of their own.
    private mutating func readValues(of attribute: inout Attribute, from fields: XcodeFields) throws(ModelError) {
        let (type, label, line) = (attribute.type, fields.label, fields.xml.line)
        if let text = fields.text("defaultValueString"), type != .undefined, type == .string || !text.isEmpty {
            if type == .binary || type == .transformable || type == .composite {
                draft.notice("\(label): a default of this type is not supported and is left out", line: line)
            } else if let value = texts.value(text, of: type, element: label, line: line) {
                attribute.defaultValue = value
            } else {
                throw fields.error("the default '\(text)' does not fit the type \(type.rawValue)")
            }
        }
        if let date = try fields.date("defaultDateTimeInterval"), type == .date { attribute.defaultValue = date }
        attribute.minimum = try bound("min", type, fields)
        attribute.maximum = try bound("max", type, fields)
    }

    private mutating func bound(
        _ side: String,
        _ type: AttributeType,
        _ fields: XcodeFields
    ) throws(ModelError) -> PropertyValue {
        if type == .date, let date = try fields.date("\(side)DateTimeInterval") { return date }
        guard let text = fields.text("\(side)ValueString"), !text.isEmpty else { return .null }
        if type == .date, let seconds = Double(text) { return .date(DateValue(secondsSinceReferenceDate: seconds)) }
        let (isMaximum, line) = (side == "max", fields.xml.line)
        guard let value = texts.bound(text, isMaximum: isMaximum, of: type, element: fields.label, line: line) else {
            throw fields.error("the \(side) '\(text)' does not fit the type \(type.rawValue)")
        }
        return value
    }

    mutating func readRelationship(_ element: ModelXMLElement, of owner: String) throws(ModelError) -> Relationship {
        let (name, fields) = try fields(of: element, "\(owner), relationship")
        var relationship = Relationship(name: name, destination: try fields.required("destinationEntity"))
        try fields.read(Relationship.settings, into: &relationship)
        relationship.minimumCount = try fields.count("minCount")
        relationship.maximumCount = try fields.count("maxCount")
        relationship.isToMany = relationship.maximumCount != 1
        if try fields.flag("toMany") == true, !relationship.isToMany {
            draft.notice("\(fields.label): toMany with maxCount 1 is read as to-one", line: element.line)
        }
        if relationship.isOrdered, !relationship.isToMany {
            relationship.isOrdered = false
            draft.notice("\(fields.label): a to-one relationship has no order", line: element.line)
        }
        if let text = fields.text("deletionRule") {
            guard let rule = DeleteRule(rawValue: text) else {
                throw fields.error("the deletion rule '\(text)' is not known")
            }
            relationship.deleteRule = rule
        }
        relationship.userInfo = readUserInfo(of: element)
        guard try fields.mergeRule(in: relationship.userInfo) == .latest else {
            throw fields.error("relationships have the merge rule 'latest' only")
        }
        return relationship
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

    mutating func reportUnknownAttributes(of xml: ModelXMLElement) {
        guard let known = XCDataModelReader.knownAttributes[xml.name] else { return }
        for key in xml.attributes.keys.sorted() where !known.contains(key) {
            draft.notice("the attribute '\(key)' of <\(xml.name)> is not known and is left out", line: xml.line)
        }
    }

    /// Attributes that are read, and known attributes that have no effect here.
    private static let knownAttributes: [String: Set<String>] = [
        "model": known([
            "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
            "sourceLanguage", "userDefinedModelVersionIdentifier", "macOSVersion", "iOSVersion", "tvOSVersion",
            "watchOSVersion", "usedWithCloudKit", "usedWithSwiftData",
        ]),
        "entity": known([
            "codeGenerationType", "coreSpotlightDisplayNameExpression", "spotlightIndexingEnabled",
        ]).union(EntityDefinition.settings.flatMap(\.xcode)),
        "attribute": known([
            "indexed", "attributeType", "defaultValueString", "defaultDateTimeInterval", "minValueString",
            "maxValueString", "minDateTimeInterval", "maxDateTimeInterval", "derived", "derivationExpression",
            "usesScalarValueType", "storedInTruthFile", "spotlightIndexingEnabled", "allowsCloudEncryption",
        ]).union(Attribute.settings.flatMap(\.xcode)),
        "relationship": known([
            "transient", "indexed", "toMany", "minCount", "maxCount", "deletionRule", "destinationEntity",
            "inverseEntity", "storedInTruthFile", "spotlightIndexingEnabled",
        ]).union(Relationship.settings.flatMap(\.xcode)),
        "fetchRequest": known([
            "entity", "predicateString", "fetchLimit", "fetchBatchSize", "resultType", "includeSubentities",
            "includesSubentities", "includePropertyValues", "includesPropertyValues", "includesPendingChanges",
            "returnObjectsAsFaults", "returnsObjectsAsFaults", "returnDistinctResults", "returnsDistinctResults",
        ]),
    ]

    private static func known(_ names: Set<String>) -> Set<String> {
        names.union(["name", "syncable", "elementID", "renamingIdentifier", "versionHashModifier"])
    }
}

extension MergeRule {
    /// Returns a list such as `latest, max, min or counter`, with the word before the last name.
    static func names(lastAfter word: String) -> String {
        let names = allCases.map(\.rawValue)
        return "\(names.dropLast().joined(separator: ", ")) \(word) \(names.last ?? "")"
    }
}
