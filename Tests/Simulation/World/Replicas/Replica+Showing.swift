import TestSupport
import TransactionLog
import TributaryChanges
import TributaryModel
package import TributaryStore
import TributarySync

extension Replica {
    /// The visible state of the store, one line for each object.
    package func shown() throws -> [String] {
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

    package func dump() throws -> String { try store.read { try $0.mergeState.dump() } }
    package func digest() throws -> String { try store.read { try $0.mergeState.digest().digest } }
}

extension Replica {
    /// The lines of the store's baseline.
    package func baseline() throws -> [String] {
        var bytes: [UInt8] = []
        _ = try store.read { try $0.baseline.forEachLine { bytes += $0 } }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Joins a baseline through its bytes in a file, which may change after it was verified.
    @discardableResult
    package func join(_ lines: [String], changedTo changed: [String]? = nil) throws -> CommittedTransaction? {
        let source = MemorySegment(SegmentText.baseline(lines))
        let baseline = try VerifiedBaseline.verify(source)
        if let changed { source.replace(SegmentText.baseline(changed)) }
        return try join(source, baseline)
    }

    /// Joins a baseline with a wrong byte, which must have no effect.
    func refuse(_ lines: [String], damagedAt percent: Int) throws {
        var bytes = SegmentText.baseline(lines)
        let body = lines.reduce(0) { $0 + $1.utf8.count + 1 }
        bytes[body * percent / 100] ^= 1
        let source = MemorySegment(bytes)
        do {
            _ = try join(source, VerifiedBaseline.verify(source))
        } catch is SegmentError {}
    }

    private func join(_ source: MemorySegment, _ baseline: VerifiedBaseline) throws -> CommittedTransaction? {
        let reader = BaselineReader(source, baseline)
        hasJoined = true
        return try store.write { write in
            try write.joinBaseline(
                baseline.header,
                writers: baseline.writers,
                transactionCount: Int(clamping: baseline.end.transactions)
            ) { try reader.next() }
        }
    }

    package func newestTransaction() throws -> Int64 { try store.read { try $0.history.newestTransaction() } }
}
