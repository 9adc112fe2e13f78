import TributaryChanges
import TributaryModel
import TributaryStore

extension Row {
    /// Returns the row's attributes and to-one registers as a value; `whole` reads external values.
    func snapshot(_ whole: (PropertyValue) -> PropertyValue) -> ObjectSnapshot {
        var values: [String: PropertyValue] = [:]
        for (propertyIndex, property) in entity.properties.enumerated() where property.relationship?.isToMany != true {
            values[property.name] = whole(self.values[propertyIndex])
        }
        return ObjectSnapshot(id: id, values: values)
    }

    func differences(to other: Row) -> Set<String> {
        guard entity.name == other.entity.name else { return Set(entity.properties.map(\.name)) }
        return Set(
            entity.properties.indices.filter { values[$0] != other.values[$0] }.map { entity.properties[$0].name }
        )
    }
}
