import GRDB
import TributaryChanges

/// Several saves, or a batch, as one transaction of history, with one number and one clock.
///
/// If a save deletes an object of an earlier save, the combined changes are merged again from the state before the
/// first save. This store then has the same state as a store that reads the log.
final class JoinedTransaction {
    private struct Open {
        let engine: MergeEngine
        let own: UniqueID
        let history: String
        var header: TransactionHeader
        let lines: OutgoingLines
    }

    private let transaction: WriteTransaction
    private let author: String?
    private let contextName: String?
    private let isOneOfSeveral: Bool
    private var open: Open
    private var saves: [LocalTransaction] = []
    private var deletions: [Change] = []
    /// Changes that a later save may supersede; nil if there are too many, so that such a save is refused.
    private var others: [Change]? = []
    private var touched: (objects: Set<ChangeSlice.Object>, count: Int) = ([], 0)

    init(_ transaction: WriteTransaction, author: String?, contextName: String?, isOneOfSeveral: Bool = false) throws {
        (self.transaction, self.author, self.contextName) = (transaction, author, contextName)
        self.isOneOfSeveral = isOneOfSeveral
        if isOneOfSeveral { try BoundStatement(transaction.db, "SAVEPOINT tributary_joined").run() }
        open = try JoinedTransaction.begin(transaction, author: author, contextName: contextName)
    }

    private static func begin(_ transaction: WriteTransaction, author: String?, contextName: String?) throws -> Open {
        let own = try transaction.ownWriter()
        let history = try transaction.reader.history.name()
        let header = try transaction.nextHeader(author: author)
        let engine = try transaction.begin(writer: own, header: header, context: contextName, isLocal: true)
        return Open(engine: engine, own: own, history: history, header: header, lines: OutgoingLines(transaction.db))
    }

    func add(_ local: LocalTransaction) throws {
        var changes = try LocalChanges(reader: transaction.reader).explicit(local.changes)
        if isOneOfSeveral {
            if try takesAway(changes) {
                changes = LocalChanges(reader: transaction.reader).logged(deletions + (others ?? []) + changes)
                try beginAnew()
            }
            try keep(changes)
            var save = local
            save.changes = []
            saves.append(save)
        }
        try merge(changes, isWhole: !isOneOfSeveral)
        try open.engine.uniqueness.decide(isLocal: true)
        try record(local)
    }

    func merge(_ changes: [Change], isWhole: Bool = false) throws {
        try open.engine.apply(changes)
        try open.lines.append(changes, isWhole: isWhole)
    }

    var number: Int64 { open.engine.cursor.revision }

    private func record(_ local: LocalTransaction) throws {
        if let answer = local.idempotency {
            let now = transaction.reader.context.configuration.environment.wallTime()
            try AnswerTable(transaction.db).insert(answer, number: number, at: now)
        }
        if let conflict = local.restoredConflict {
            try ConflictTable(transaction.db).markRestored(conflict, by: number)
        }
    }

    private func takesAway(_ changes: [Change]) throws -> Bool {
        guard changes.first?.operation == .delete else { return false }
        guard let others else {
            throw StoreError.invalidChange(index: 0, reason: "its deletion follows other changes of a long transaction")
        }
        let local = LocalChanges(reader: transaction.reader)
        for change in others[touched.count...] { touched.objects.formUnion(local.objects(in: change)) }
        touched.count = others.count
        guard !touched.objects.isEmpty else { return false }
        let isTaken = changes.prefix { $0.operation == .delete }.contains { change in
            local.object(of: change).map(touched.objects.contains) ?? false
        }
        guard isTaken, transaction.isLong else { return isTaken }
        throw StoreError.invalidChange(
            index: 0,
            reason: "it deletes what an earlier part of a long transaction has written"
        )
    }

    private func keep(_ changes: [Change]) throws {
        // A long transaction keeps only the effects of its deletions on other objects.
        if transaction.isLong, saves.isEmpty, changes.first?.operation != .delete { others = nil }
        others? += changes.drop { $0.operation == .delete }
        if !transaction.isLong { deletions += changes.prefix { $0.operation == .delete } }
    }

    private func beginAnew() throws {
        transaction.forget()
        try transaction.db.execute(sql: "ROLLBACK TO tributary_joined")
        open = try JoinedTransaction.begin(transaction, author: author, contextName: contextName)
        (deletions, others, touched) = ([], [], ([], 0))
        for save in saves { try record(save) }
    }

    var committed: CommittedTransaction {
        let (own, header, engine) = (open.own, open.header, open.engine)
        return CommittedTransaction(number: number, writer: own, history: open.history, header: header, engine: engine)
    }

    func finish() throws -> CommittedTransaction {
        open.header.changeCount = open.lines.changeCount
        let committed = try transaction.endLocal(open.engine, header: &open.header)
        try transaction.keepForExport(open.header, lines: open.lines)
        return committed
    }
}

extension WriteTransaction {
    /// A long transaction is not kept in memory, so it refuses to delete objects of an earlier commit.
    package func joinCommits(isLong: Bool = false) { (isJoining, self.isLong) = (true, isLong) }

    /// Rethrows the error of a refused commit, because its part of the transaction is missing.
    package func finishJoined() throws -> CommittedTransaction? {
        isJoining = false
        defer { joined = nil }
        if let joinFailure { throw joinFailure }
        return try joined?.finish()
    }

    package func abandonJoined() { joined = nil }

    func join(_ local: LocalTransaction) throws -> CommittedTransaction {
        if let joinFailure { throw joinFailure }
        do {
            let (author, name) = (local.author, local.contextName)
            let joined = try joined ?? JoinedTransaction(self, author: author, contextName: name, isOneOfSeveral: true)
            self.joined = joined
            try joined.add(local)
            return joined.committed
        } catch {
            joinFailure = error
            throw error
        }
    }
}
