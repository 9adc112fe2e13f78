import TestSupport
import TributaryChanges
import TributaryModel
import TributaryStore

extension Replica {
    /// The visible state of the store, one line for each object.
    func shown() throws -> [String] {
        try store.read { reader in
            var lines: [String] = []
            for root in model.rootEntities {
                for id in SimulationModel.ids(of: root.name) {
                    guard let row = try reader.row(id, rootEntity: root.name) else { continue }
                    let properties = try row.entity.properties.indices.map { propertyIndex in
                        "\(row.entity.properties[propertyIndex].name)=\(try shown(row, propertyIndex, reader))"
                    }
                    let object = "\(root.name) \(row.id.uniqueID) \(row.entity.name): "
                    lines.append(object + properties.joined(separator: " "))
                }
            }
            return lines.sorted()
        }
    }

    private func shown(_ row: Row, _ propertyIndex: Int, _ reader: Reader) throws -> String {
        guard row.entity.properties[propertyIndex].relationship?.isToMany == true else {
            return "\(row.values[propertyIndex])"
        }
        let related = try reader.related(to: row.id.uniqueID, entity: row.entity, propertyIndex: propertyIndex)
        return "\(related.map(\.uniqueID.description))"
    }

    func dump() throws -> String { try store.read { try $0.mergeState.dump() } }
    func digest() throws -> String { try store.read { try $0.mergeState.digest().digest } }
}
