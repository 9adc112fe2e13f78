import Foundation
import TestSupport
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Meters with a counter of each kind and attributes of which the greatest or the least value stands.
enum MeterModel {
    static func model() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities:
                  Meter:
                    attributes:
                      count: {type: Integer 64, optional: true, merge: counter, default: 0}
                      sum: {type: Double, optional: true, merge: counter, default: 0}
                      most: {type: Integer 64, optional: true, merge: max}
                      least: {type: Integer 64, optional: true, merge: min}
                """
        )
    }

    static func open(_ folder: TemporaryFolder, _ name: String = "meters") async throws -> PersistentContainer {
        let configuration = StoreConfiguration(path: folder.path("\(name).sqlite"), name: name, model: try model())
        return try await PersistentContainer(store: Store.open(configuration), clock: ManualClock())
    }

    /// The values of a counter in the store's transactions as the log has them, in order.
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
