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
            let before = try PositionsBeforeJoin(write)
            let committed = try write.joinBaseline(
                baseline.header,
                writers: baseline.writers,
                transactionCount: baseline.end.counts.transactions
            ) { try reader.next() }
            if committed != nil { try before.recordJoined(baseline.writers, in: write) }
            return committed
        }
    }

    /// The lines of the store's baseline; nil when it cannot name the branches of a forked writer.
    func forkedBaseline() throws -> [String]? {
        let canName = try store.read { reader in
            try reader.writers.all().allSatisfy { try $0.branches.isEmpty || reader.baselineForks.fork(of: $0) != nil }
        }
        return canName ? try baseline() : nil
    }

    /// The last sequence of a writer that some branch of its log has reached.
    func reach(of writer: UniqueID) throws -> UInt64 {
        try store.read { try $0.writers.record(of: writer)?.reach } ?? 0
    }

    /// The last transaction of a writer that came with a baseline, without its segment.
    func joined(of writer: UniqueID) throws -> UInt64 {
        let text = try store.read { try $0.setting("sync.joined.\(writer)") }
        return text?.split(separator: " ").first.flatMap { UInt64($0) } ?? 0
    }

    /// Whether a part of no segment is applied.
    func hasWholeSegments() throws -> Bool {
        try store.read { reader in
            try reader.writers.all().allSatisfy { writer in
                try ([""] + writer.branches.map { ".\($0.firstHash)" }).allSatisfy {
                    try reader.setting("sync.partial.\(writer.id)\($0)") == nil
                }
            }
        }
    }

    package func newestTransaction() throws -> Int64 { try store.read { try $0.history.newestTransaction() } }
}

extension SegmentText {
    /// The bytes of a baseline, with its end line.
    fileprivate static func baseline(_ lines: [String]) -> [UInt8] {
        let body = Array(lines.map { $0 + "\n" }.joined().utf8)
        let writers = lines.filter { $0.hasPrefix("{\"writer\"") }.count
        let transactions = lines.filter { $0.hasPrefix("{\"transaction\"") }.count
        let end = SegmentEnd(
            last: UInt64(writers),
            transactions: UInt64(transactions),
            changes: UInt64(lines.count - 1 - writers - transactions),
            sha256: SegmentEnd.sha256(of: body)
        )
        return body + Array(end.line.utf8) + [0x0A]
    }
}
