import Foundation
import TestSupport
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Meters with a counter of each kind and attributes of which the greatest or the least value stands.
enum MeterModel {
    static func model() throws -> Model {
        func attribute(_ name: String, _ type: AttributeType, _ rule: MergeRule, _ value: PropertyValue) -> Attribute {
            var attribute = Attribute(name: name, type: type)
            attribute.isOptional = true
            attribute.mergeRule = rule
            attribute.defaultValue = value
            return attribute
        }
        var meter = EntityDefinition(name: "Meter")
        meter.attributes = [
            attribute("count", .integer64, .counter, .integer(0)), attribute("sum", .double, .counter, .double(0)),
            attribute("most", .integer64, .max, .null), attribute("least", .integer64, .min, .null),
        ]
        return try Model(version: "1", entities: [meter])
    }

    static func open(_ folder: TemporaryFolder, _ name: String = "meters") async throws -> PersistentContainer {
        let configuration = StoreConfiguration(path: folder.path("\(name).sqlite"), name: name, model: try model())
        return try await PersistentContainer(store: Store.open(configuration), clock: ManualClock())
    }

    /// What a log says of a counter in the transactions of the store, in order.
    static func written(_ name: String, in container: PersistentContainer) throws -> [String] {
        var found: [String] = []
        try container.store.read { reader in
            try reader.outbox.localTransactions(from: 0) { transaction in
                for line in String(decoding: transaction.lines, as: UTF8.self).split(separator: "\n") {
                    guard let at = line.range(of: "\"\(name)\":") else { continue }
                    let rest = line[at.upperBound...]
                    found.append(String(rest.prefix { $0 != "," && $0 != "}" }) + (rest.hasPrefix("{") ? "}" : ""))
                }
                return true
            }
        }
        return found
    }
}
