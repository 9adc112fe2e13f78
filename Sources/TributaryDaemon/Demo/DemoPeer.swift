import Logging
import Tributary
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

struct DemoPeer: Sendable {
    let name: String
    let container: PersistentContainer
    let sync: SyncService
    private let background: BackgroundContext

    init(name: String, folder: String, logs: String, model: Model) async throws {
        self.name = name
        container = try await PersistentContainer(name: name, path: "\(folder)/\(name).sqlite", model: model)
        // Log entries would interrupt the lines of the demo.
        let logger = Logger(label: "demo") { _ in SwiftLogNoOpLogHandler() }
        sync = try SyncService(replica: container, configuration: SyncConfiguration(logs: logs), logger: logger)
        background = container.newBackgroundContext(name: "till", author: name)
    }

    static func model() throws -> Model {
        var product = EntityDefinition(name: "Product")
        product.attributes = [
            Attribute(name: "name", type: .string),
            Attribute(name: "price", type: .decimal),
            Attribute(name: "stock", type: .integer64),
        ]
        product.attributes[2].defaultValue = .integer(0)
        product.attributes[2].mergeRule = .counter
        return try Model(version: "1", entities: [product])
    }

    func insert(_ products: [(name: String, price: String, stock: Int64)]) async throws -> [ManagedObjectID] {
        try await background.perform { context in
            let ids = try products.map { product in
                let object = try context.insert(entity: "Product")
                try object.setValue(.string(product.name), forKey: "name")
                try object.setValue(.decimal(product.price), forKey: "price")
                try object.setValue(.integer(product.stock), forKey: "stock")
                return object.objectID
            }
            try context.save()
            return ids
        }
    }

    func change(_ id: ManagedObjectID, _ values: [String: PropertyValue]) async throws {
        try await background.perform { context in
            let object = try context.existingObject(with: id)
            for (key, value) in values { try object.setValue(value, forKey: key) }
            try context.save()
        }
    }

    func sell(_ id: ManagedObjectID, _ count: Int64) async throws {
        try await background.perform { context in
            let object = try context.existingObject(with: id)
            guard case .integer(let stock) = try object.value(forKey: "stock") else { return }
            try object.setValue(.integer(stock - count), forKey: "stock")
            try context.save()
        }
    }

    func delete(_ id: ManagedObjectID) async throws {
        try await background.perform { context in
            context.delete(try context.existingObject(with: id))
            try context.save()
        }
    }

    @MainActor
    func shown() throws -> [[String]] {
        let request = FetchRequest("Product", sortKeys: [SortKey("name")])
        return try container.viewContext.fetch(request).map { object in
            try ["name", "price", "stock"].map { key in
                switch try object.value(forKey: key) {
                case .string(let text), .decimal(let text): text
                case .integer(let number): String(number)
                default: "-"
                }
            }
        }
    }

    func waitUntil(_ isReached: @Sendable ([[String]]) -> Bool) async throws {
        let updates = container.storeUpdates()
        if isReached(try await shown()) { return }
        for await _ in updates where isReached(try await shown()) { return }
        throw DemoFailure(reason: "\(name) stopped before it had what it was waiting for")
    }

    func exportAll() async throws { _ = try await sync.sync() }

    func digest() throws -> String { try container.store.read { try $0.mergeState.digest().digest } }
}
