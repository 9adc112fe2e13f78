import TestSupport
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Lists with items in order, tags in order with an inverse that has none, and two replicas that exchange what they
/// save.
enum OrderedModel {
    static func model() throws -> Model {
        var list = EntityDefinition(name: "List")
        list.relationships = [
            relationship("items", "Item", inverse: "list", toMany: true, ordered: true),
            relationship("tags", "Tag", inverse: "lists", toMany: true, ordered: true),
            relationship("links", "Tag", inverse: nil, toMany: true, ordered: true),
        ]
        var item = EntityDefinition(name: "Item")
        var name = Attribute(name: "name", type: .string)
        name.isOptional = true
        item.attributes = [name]
        item.relationships = [relationship("list", "List", inverse: "items")]
        var tag = EntityDefinition(name: "Tag")
        tag.attributes = [name]
        tag.relationships = [relationship("lists", "List", inverse: "tags", toMany: true)]
        return try Model(version: "1", entities: [list, item, tag])
    }

    private static func relationship(
        _ name: String,
        _ destination: String,
        inverse: String?,
        toMany: Bool = false,
        ordered: Bool = false
    ) -> Relationship {
        var relationship = Relationship(name: name, destination: destination, inverse: inverse)
        relationship.isOptional = true
        relationship.isToMany = toMany
        relationship.isOrdered = ordered
        return relationship
    }

    static func open(_ folder: TemporaryFolder, _ name: String = "store") async throws -> PersistentContainer {
        let configuration = StoreConfiguration(path: folder.path("\(name).sqlite"), name: name, model: try model())
        return try await PersistentContainer(store: Store.open(configuration), clock: ManualClock())
    }

    /// The names of the objects at the other end, in order.
    static func names(_ object: ManagedObject, _ key: String) throws -> String {
        try object.objects(forKey: key).map { item in
            guard case .string(let name) = try item.value(forKey: "name") else { return "-" }
            return name
        }.joined()
    }

    /// A new object of the entity with a name.
    static func named(_ name: String, _ entity: String, in context: ManagedObjectContext) throws -> ManagedObject {
        let object = try context.insert(entity: entity)
        try object.setValue(.string(name), forKey: "name")
        return object
    }
}
