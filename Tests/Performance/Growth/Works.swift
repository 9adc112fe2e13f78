import Tributary

/// A works with its workers: what the rows about contexts make and change.
final class Works: ManagedObject {
    override class var entityName: String { "Works" }
    static let name = Field<String>("name")
    static let workers = ToMany<Worker>("workers")
    static let queue = ToMany<Worker>("queue")

    var workers: [Worker] {
        get { self[Works.workers] }
        set { self[Works.workers] = newValue }
        _modify { yield &self[Works.workers] }
    }

    static func model() throws -> Model {
        var works = EntityDefinition(name: "Works")
        works.attributes = [attribute("name", .string)]
        var workers = relationship("workers", "Worker", inverse: "employer")
        workers.isToMany = true
        workers.deleteRule = .cascade
        var queue = relationship("queue", "Worker", inverse: "waitsAt")
        queue.isToMany = true
        queue.isOrdered = true
        var visitors = relationship("visitors", "Worker", inverse: "visits")
        visitors.isToMany = true
        works.relationships = [workers, queue, relationship("guard", "Worker", inverse: "guards"), visitors]
        var worker = EntityDefinition(name: "Worker")
        worker.attributes = [attribute("name", .string), attribute("code", .string)]
        worker.attributes += (0..<ImportRows.spareAttributes).map { attribute("spare\($0)", .integer64) }
        var visits = relationship("visits", "Works", inverse: "visitors")
        visits.isToMany = true
        worker.relationships = [
            relationship("employer", "Works", inverse: "workers"),
            relationship("waitsAt", "Works", inverse: "queue"),
            relationship("guards", "Works", inverse: "guard"),
            visits,
        ]
        worker.uniquenessConstraints = [["code"]]
        return try Model(version: "growth", entities: [works, worker])
    }

    private static func attribute(_ name: String, _ type: AttributeType) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.isOptional = true
        return attribute
    }

    private static func relationship(_ name: String, _ destination: String, inverse: String) -> Relationship {
        var relationship = Relationship(name: name, destination: destination, inverse: inverse)
        relationship.isOptional = true
        return relationship
    }
}
