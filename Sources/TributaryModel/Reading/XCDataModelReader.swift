import Foundation
import TributaryChanges

/// Reads the XML of one version of a Core Data model, the file `contents` of an `.xcdatamodel`.
///
/// Unknown elements and attributes are left out with one notice each, so that a model of a newer Xcode can be loaded.
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
        // The flag has two spellings; a request without either was saved by an editor that left out YES.
        for key in ["includeSubentities", "includesSubentities"] where fields.text(key) != nil {
            request.includesSubentities = try fields.flag(key) == true
        }
        draft.fetchRequests[name] = request
    }

    private mutating func readConfiguration(_ element: ModelXMLElement) throws(ModelError) {
        let (name, _) = try fields(of: element, "configuration")
        draft.configurations[name] = element.children(named: "memberEntity").compactMap { $0.attributes["name"] }
    }

    /// Removes requests and configurations of entities that no longer exist, which editors leave behind; nothing
    /// depends on them.
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

    /// Leaves out indexes of to-many relationships, which no table has a column for.
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
