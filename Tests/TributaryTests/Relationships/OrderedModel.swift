import TestSupport
import TributaryStore

@testable import Tributary

/// Lists with items in order, tags in order with an inverse that has none, and two replicas that exchange what they
/// save.
enum OrderedModel {
    static func model(delete rule: String = "Nullify") throws -> Model {
        try Model(
            entities: """
                List:
                  relationships:
                    items: {to: Item, many: true, ordered: true, inverse: list, delete: \(rule)}
                    tags: {to: Tag, many: true, ordered: true, inverse: lists}
                    links: {to: Tag, many: true, ordered: true}
                Item: {attributes: {name: String?}, relationships: {list: {to: List?, inverse: items}}}
                Tag: {attributes: {name: String?}, relationships: {lists: {to: List, many: true, inverse: tags}}}
                """
        )
    }

    static func open() async throws -> (TemporaryFolder, PersistentContainer) {
        let folder = try TemporaryFolder("ordered")
        return (folder, try await open(folder))
    }

    static func open(_ folder: TemporaryFolder, _ name: String = "store") async throws -> PersistentContainer {
        try await PersistentContainer.open(folder, name, model: model())
    }

    /// The entity at the other end of a list's relationship.
    static func entity(_ key: String) -> String { key == "items" ? "Item" : "Tag" }

    /// The names of the objects at the other end, in order.
    static func names(_ object: ManagedObject, _ key: String) throws -> String {
        try object.objects(forKey: key).map { try $0.text("name") }.joined()
    }

    static func named(_ name: String, _ entity: String, in context: ManagedObjectContext) throws -> ManagedObject {
        try context.insert(entity, ["name": .string(name)])
    }
}
