import TributaryChanges
import TributaryModel
import TributaryStore

extension Row {
    /// The row as a value: attributes and to-one registers.
    ///
    /// `whole` reads what lies beside the store.
    func snapshot(_ whole: (PropertyValue) -> PropertyValue) -> ObjectSnapshot {
        var values: [String: PropertyValue] = [:]
        for (slot, property) in entity.properties.enumerated() where property.relationship?.isToMany != true {
            values[property.name] = whole(self.values[slot])
        }
        return ObjectSnapshot(id: id, values: values)
    }

    /// The names of the properties that differ.
    func differences(to other: Row) -> Set<String> {
        guard entity.name == other.entity.name else { return Set(entity.properties.map(\.name)) }
        return Set(
            entity.properties.indices.filter { values[$0] != other.values[$0] }.map { entity.properties[$0].name }
        )
    }
}
