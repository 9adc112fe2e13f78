import Foundation
import TributaryChanges

/// Reads `contents` of an `.xcdatamodel`; unknown elements give notices, so that a newer Xcode's model can be loaded.
struct XCDataModelReader {
    var draft: ModelDraft
    var texts = XcodeText()

    static func read(_ bytes: Data, version: String, file: String?) throws(ModelError) -> Model {
        var reader = XCDataModelReader(draft: ModelDraft(version: version, file: file))
        let root = try ModelXMLReader.read(bytes, file: file)
        guard root.name == "model" else {
            throw ModelError("the root element is <\(root.name)>, not <model>", file: file, line: root.line)
        }
        try reader.readModel(root)
        for notice in reader.texts.notices { reader.draft.notice(notice.text, line: notice.line) }
        return try reader.draft.resolve()
    }

    private mutating func readModel(_ model: ModelXMLElement) throws(ModelError) {
        reportUnknownAttributes(of: model)
        for child in model.children {
            switch child.name {
            case "entity": draft.entities.append(try readEntity(child))
            case "composite": try readComposite(child)
            case "fetchRequest": try readFetchRequest(child)
            case "configuration": try readConfiguration(child)
            // The positions of the entities in the editor.
            case "elements": break
            default: reportUnknown(child, in: model)
            }
        }
        dropWhatLeadsNowhere()
    }

    private mutating func readEntity(_ element: ModelXMLElement) throws(ModelError) -> EntityDefinition {
        let (name, fields) = try fields(of: element, "entity")
        var entity = EntityDefinition(name: name)
        try fields.read(EntityDefinition.settings, into: &entity)
        for child in element.children {
            switch child.name {
            case "attribute":
                entity.attributes.append(try readAttribute(child, of: fields.label, indexes: &entity.fetchIndexes))
            case "relationship": entity.relationships.append(try readRelationship(child, of: fields.label))
            case "fetchedProperty":
                draft.notice("fetched properties are not supported and are left out", line: child.line)
            case "uniquenessConstraints":
                for constraint in child.children(named: "uniquenessConstraint") {
                    entity.uniquenessConstraints.append(
                        constraint.children(named: "constraint").compactMap { $0.attributes["value"] }
                    )
                }
            case "fetchIndex":
                if let index = try readFetchIndex(child, of: fields.label) { entity.fetchIndexes.append(index) }
            case "compoundIndexes":
                for compound in child.children(named: "compoundIndex") {
                    let names = compound.children(named: "index").compactMap { $0.attributes["value"] }
                    guard !names.isEmpty else { continue }
                    let name = "by" + names.map(\.capitalized).joined(separator: "And")
                    entity.fetchIndexes.append(FetchIndex(name: name, elements: names.map { FetchIndex.Element($0) }))
                }
            case "userInfo": entity.userInfo = readUserInfo(child)
            default: reportUnknown(child, in: element)
            }
        }
        return entity
    }

    private mutating func readComposite(_ element: ModelXMLElement) throws(ModelError) {
        let (name, fields) = try fields(of: element, "composite")
        var attributes: [Attribute] = []
        var indexes: [FetchIndex] = []
        for child in element.children {
            switch child.name {
            case "attribute": attributes.append(try readAttribute(child, of: fields.label, indexes: &indexes))
            case "userInfo": break
            default: reportUnknown(child, in: element)
            }
        }
        guard draft.composites.updateValue(attributes, forKey: name) == nil else {
            throw fields.error("there are two composites of this name")
        }
    }

    private mutating func readFetchIndex(
        _ element: ModelXMLElement,
        of label: String
    ) throws(ModelError) -> FetchIndex? {
        let name = try XcodeFields(xml: element, label: "\(label), fetch index", file: draft.file).required("name")
        var elements: [FetchIndex.Element] = []
        for child in element.children {
            guard child.name == "fetchIndexElement" else {
                reportUnknown(child, in: element)
                continue
            }
            guard let property = child.attributes["property"], child.attributes["type"] ?? "Binary" == "Binary" else {
                draft.notice(
                    "\(label): the fetch index '\(name)' is not over plain values and is left out",
                    line: child.line
                )
                return nil
            }
            elements.append(FetchIndex.Element(property, ascending: child.attributes["order"] != "descending"))
        }
        return elements.isEmpty ? nil : FetchIndex(name: name, elements: elements)
    }

    private mutating func readFetchRequest(_ element: ModelXMLElement) throws(ModelError) {
        let (name, fields) = try fields(of: element, "fetch request")
        var request = StoredFetchRequest(name: name, entity: try fields.required("entity"))
        request.predicate = fields.text("predicateString")
        request.fetchLimit = try fields.count("fetchLimit")
        request.fetchBatchSize = try fields.count("fetchBatchSize")
        // The flag has two spellings; editors that leave out YES write neither.
        for key in ["includeSubentities", "includesSubentities"] where fields.text(key) != nil {
            request.includesSubentities = try fields.flag(key) == true
        }
        draft.fetchRequests[name] = request
    }

    private mutating func readConfiguration(_ element: ModelXMLElement) throws(ModelError) {
        let (name, _) = try fields(of: element, "configuration")
        draft.configurations[name] = element.children(named: "memberEntity").compactMap { $0.attributes["name"] }
    }

    /// Editors leave behind requests and configurations of removed entities; nothing depends on them.
    private mutating func dropWhatLeadsNowhere() {
        let names = Set(draft.entities.map(\.name))
        dropIndexesOfToMany()
        for (name, request) in draft.fetchRequests.sorted(by: { $0.key < $1.key }) where !names.contains(request.entity)
        {
            draft.fetchRequests[name] = nil
            draft.notice(
                "the fetch request '\(name)' names the entity '\(request.entity)', which is not there",
                line: nil
            )
        }
        for (name, members) in draft.configurations.sorted(by: { $0.key < $1.key }) {
            let missing = members.filter { !names.contains($0) }
            guard !missing.isEmpty else { continue }
            draft.configurations[name] = members.filter(names.contains)
            draft.notice(
                "the configuration '\(name)' names '\(missing.joined(separator: "', '"))', which is not there",
                line: nil
            )
        }
    }

    private mutating func dropIndexesOfToMany() {
        let entities = Dictionary(draft.entities.map { ($0.name, $0) }) { first, _ in first }
        for place in draft.entities.indices {
            var toMany: Set<String> = []
            var (lineage, next): (Set<String>, EntityDefinition?) = ([], draft.entities[place])
            while let entity = next, lineage.insert(entity.name).inserted {
                toMany.formUnion(entity.relationships.filter(\.isToMany).map(\.name))
                next = entity.parent.flatMap { entities[$0] }
            }
            let entity = draft.entities[place]
            for index in entity.fetchIndexes where index.elements.contains(where: { toMany.contains($0.property) }) {
                draft.entities[place].fetchIndexes.removeAll { $0.name == index.name }
                draft.notice(
                    "entity \(entity.name): the index '\(index.name)' names a to-many relationship and is left out",
                    line: nil
                )
            }
        }
    }
}

struct XcodeFields: ModelFields {
    let xml: ModelXMLElement
    let label: String
    let file: String?

    static func keys<Element>(of setting: ModelSetting<Element>) -> [String] { setting.xcode }

    func error(_ reason: String) -> ModelError { ModelError(reason, file: file, line: xml.line, element: label) }

    func text(_ key: String) -> String? { xml.attributes[key] }

    func required(_ key: String) throws(ModelError) -> String {
        guard let value = text(key), !value.isEmpty else { throw error("<\(xml.name)> has no '\(key)'") }
        return value
    }

    func flag(_ key: String) throws(ModelError) -> Bool? {
        switch text(key) {
        case nil, "NO": return nil
        case "YES": return true
        case let text?: throw error("\(key) is '\(text)', neither YES nor NO")
        }
    }

    func count(_ key: String) throws(ModelError) -> Int {
        guard let text = text(key) else { return 0 }
        guard let number = Int(text), number >= 0 else { throw error("\(key) is '\(text)', not a number") }
        return number
    }

    /// Dates are written in seconds since 2001-01-01.
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
    static func names(lastAfter word: String) -> String {
        let names = allCases.map(\.rawValue)
        return "\(names.dropLast().joined(separator: ", ")) \(word) \(names.last ?? "")"
    }
}
