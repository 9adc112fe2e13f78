package import TributaryChanges

extension Change {
    package static func insert(_ entity: String, _ id: Int, _ values: KeyValuePairs<String, JSONValue> = [:]) -> Change
    {
        Change(entity: entity, id: .sample(id), operation: .insert(writes(values)))
    }

    package static func update(_ entity: String, _ id: Int, _ values: KeyValuePairs<String, JSONValue>) -> Change {
        Change(entity: entity, id: .sample(id), operation: .update(writes(values)))
    }

    package static func delete(_ entity: String, _ id: Int) -> Change {
        Change(entity: entity, id: .sample(id), operation: .delete)
    }

    package static func link(_ entity: String, _ id: Int, _ name: String, _ ids: [Int], at positions: [String]? = nil)
        -> Change
    {
        Change(
            entity: entity,
            id: .sample(id),
            operation: .link(to: name, ids: ids.map(UniqueID.sample), positions: positions)
        )
    }

    package static func unlink(_ entity: String, _ id: Int, _ name: String, _ ids: [Int]) -> Change {
        Change(entity: entity, id: .sample(id), operation: .unlink(to: name, ids: ids.map(UniqueID.sample)))
    }

    private static func writes(_ values: KeyValuePairs<String, JSONValue>) -> [PropertyWrite] {
        values.map { PropertyWrite(name: $0.key, value: $0.value) }
    }
}
