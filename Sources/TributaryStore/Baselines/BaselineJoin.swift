import GRDB
package import TributaryChanges
import TributaryModel

/// Merges the transactions of a baseline that the store has not applied, with the versions of these transactions.
///
/// History records them as a single transaction. Its number is greater than their numbers.
final class BaselineJoin {
    private let db: Database
    private let engine: MergeEngine
    private let layout: StoreModel
    private let now: WallTime
    private let own: Int64
    private let vector: BaselineVector
    private let totals: BaselineTotals
    let number: Int64
    private var nextNumber: Int64
    private var current: Current?
    private var waiting: [Change] = []
    private static let sliceChanges = 1_000

    private struct Current {
        var transaction: BaselineTransaction
        var writer: Int64
        var number: Int64
    }

    init(
        _ transaction: WriteTransaction,
        _ header: BaselineHeader,
        _ vector: BaselineVector,
        rules: BaselineRules,
        transactionCount: Int
    ) throws {
        db = transaction.db
        engine = try transaction.engine()
        try engine.bulk.flush()
        layout = transaction.reader.context.layout
        now = transaction.reader.context.configuration.environment.wallTime()
        var vector = vector
        let newest = try transaction.reader.history.newestTransaction()
        nextNumber = newest + 1 + Int64(vector.ahead.count)
        number = nextNumber + Int64(transactionCount)
        let writers = try transaction.writers()
        let ownPosition = try writers.position(of: writers.own)
        own = ownPosition.id
        let (table, now) = (TransactionTable(db), now)
        for (index, (id, entry)) in vector.ahead.sorted(by: { $0.key < $1.key }).enumerated() {
            let number = newest + 1 + Int64(index)
            let header = TransactionHeader(sequence: entry.writer.sequence, clock: entry.writer.clock, changeCount: 0)
            try table.insert(header, writer: entry.row, number: number, at: now)
            vector.ahead[id]?.lastNumber = number
        }
        let author = WriteTransaction.joinAuthor
        let joining = TransactionHeader(sequence: 0, clock: ownPosition.clock, author: author, changeCount: 0)
        try table.insert(joining, writer: own, number: number, at: now)
        self.vector = vector
        totals = BaselineTotals(
            engine,
            vector: vector,
            reader: transaction.reader,
            rules: rules,
            isOfThisModel: header.modelHash == transaction.reader.context.configuration.model.versionHash
        )
        engine.begin(
            number: number,
            version: Version(clock: ownPosition.clock, writer: writers.own),
            origin: WriteOrigin(writer: own, sequence: 0),
            isLocal: false
        )
        engine.cursor.beginJoin()
    }

    func merge(_ entry: BaselineEntry) throws {
        switch entry {
        case .transaction(let transaction):
            try flush()
            try begin(transaction)
        case .change(let change): try add(change, isInOrder: false)
        case .kept(let change): try add(change, isInOrder: true)
        case .bound(let bound):
            guard layout.mayHaveBound(bound.write.name, of: bound.entity) else {
                throw BaselineJoinError.noBound(entity: bound.entity, property: bound.write.name)
            }
            try flush()
            current = nil
            engine.cursor.resume(number: number, writer: own)
            (engine.cursor.isBound, engine.cursor.isInOrder) = (true, false)
            defer { engine.cursor.isBound = false }
            try engine.apply([Change(entity: bound.entity, id: bound.id, operation: .update([bound.write]))])
        case .counter(let counter):
            try flush()
            current = nil
            try totals.merge(counter)
        }
    }

    func end() throws {
        try flush()
        try totals.flush()
        try engine.end()
    }

    private func add(_ change: Change, isInOrder: Bool) throws {
        guard current != nil else { return }
        if isInOrder != engine.cursor.isInOrder { try flush() }
        engine.cursor.isInOrder = isInOrder
        waiting.append(change)
        if waiting.count >= BaselineJoin.sliceChanges { try flush() }
    }

    private func begin(_ transaction: BaselineTransaction) throws {
        guard let writer = vector.ahead[transaction.writer], transaction.sequence > writer.applied else {
            return current = nil
        }
        if transaction.sequence == writer.writer.sequence, transaction.clock == writer.writer.clock {
            current = Current(transaction: transaction, writer: writer.row, number: writer.lastNumber)
        } else {
            let header = TransactionHeader(
                sequence: transaction.sequence,
                clock: transaction.clock,
                changeCount: transaction.changeCount
            )
            try TransactionTable(db).insert(header, writer: writer.row, number: nextNumber, at: now)
            current = Current(transaction: transaction, writer: writer.row, number: nextNumber)
            nextNumber += 1
        }
    }

    private func flush() throws {
        guard let current, !waiting.isEmpty else { return }
        let changes = waiting
        waiting.removeAll(keepingCapacity: true)
        let origin = WriteOrigin(writer: current.writer, sequence: current.transaction.sequence)
        try engine.apply(changes, number: current.number, current.transaction.version, origin)
    }
}

struct BaselineVector {
    struct Ahead {
        var writer: BaselineWriter
        var row: Int64
        var applied: UInt64
        /// True if the store has published other transactions under this writer's names.
        var keepsTotals: Bool
        /// The number of the writer's last transaction, for versions and totals.
        var lastNumber: Int64 = 0
    }

    fileprivate(set) var ahead: [UniqueID: Ahead] = [:]
    private let acknowledging: [BaselineWriter]

    init(_ writers: [BaselineWriter], _ table: WriterTable, keepingTotalsOf contradicted: UniqueID?) throws {
        acknowledging = writers.filter { !$0.seen.isEmpty }
        for writer in writers {
            let position = try table.position(of: writer.id)
            guard writer.sequence > position.sequence else { continue }
            ahead[writer.id] = Ahead(
                writer: writer,
                row: position.id,
                applied: position.sequence,
                keepsTotals: writer.id == contradicted
            )
        }
    }

    func move(_ table: WriterTable) throws {
        for entry in ahead.values {
            try table.move(entry.writer.id, to: entry.writer.sequence, clock: entry.writer.clock)
        }
        for entry in ahead.values { try table.meet(entry.writer.id, entry.writer.incarnation) }
        for writer in acknowledging { try table.addSeen(by: writer.id, writer.seen) }
    }
}

package enum BaselineJoinError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The baseline merges a property (or with nil the objects of an entity) by another rule, or under another root.
    case otherRule(_ entity: String, _ property: String?, theirs: String, own: String, model: String?)
    case tooManyRules(bytes: Int)
    case noBound(entity: String, property: String)

    package var description: String {
        switch self {
        case .otherRule(let entity, let property, let theirs, let own, let model):
            let version = model.map { "version '\($0)'" } ?? "another version"
            let subject = property.map { "'\(entity.prefix(80)).\($0.prefix(80))'" } ?? "'\(entity.prefix(80))'"
            let kind = property == nil ? "the root entity" : "the merge rule"
            return """
                the baseline, made with \(version) of the model, has \(subject) with \(kind) '\(theirs.prefix(80))', and \
                this machine has it with '\(own.prefix(80))'. Upgrade this machine to that model; or on a machine with \
                the model of this one: tributaryctl compact
                """
        case .tooManyRules(let bytes):
            return """
                the merge rules of the baseline and those that this machine has already have \(bytes) bytes, more than \
                \(StoreModel.ruleBytes). On a machine with the model of this one: tributaryctl compact
                """
        case .noBound(let entity, let property):
            return """
                the baseline has a bound of '\(entity.prefix(80)).\(property.prefix(80))', whose merge rule is neither max \
                nor min
                """
        }
    }
}

extension WriteTransaction {
    /// Makes the writers known before any merge, because the store keeps acknowledgements of known writers only.
    package func register(_ writers: [UniqueID]) throws {
        let table = try self.writers()
        for writer in writers { _ = try table.position(of: writer) }
    }
}
