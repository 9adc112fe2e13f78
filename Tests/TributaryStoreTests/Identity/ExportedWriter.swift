import StoreTestSupport
import TestSupport
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The transactions that a replica has published, and those in its outbox, as another replica gets them.
struct ExportedWriter {
    private(set) var transactions: [ForeignTransaction] = []

    /// Publishes the next transactions of the outbox, at most `limit`.
    mutating func publish(_ replica: Replica, limit: Int = .max) throws {
        let found = try ExportedWriter.outbox(of: replica, limit: limit)
        guard let first = found.first?.header.sequence, let last = found.last?.header.sequence else { return }
        try replica.store.write { write in
            try write.beginExport(ExportRange(first: first, last: last, header: "{}"))
            try write.finishExport(first: first, sha256: "\(found[0].writer)-\(last)")
        }
        transactions += found
    }

    /// The transactions of the outbox that are not published, oldest first.
    static func outbox(of replica: Replica, limit: Int = .max) throws -> [ForeignTransaction] {
        try replica.store.read { reader in
            let own = try reader.writers.own().id
            var found: [ForeignTransaction] = []
            try reader.outbox.localTransactions(from: reader.outbox.lastExported() + 1) { transaction in
                guard found.count < limit else { return false }
                found.append(try ForeignTransaction(transaction, of: own))
                return true
            }
            return found
        }
    }
}

extension ForeignTransaction {
    init(_ transaction: ExportableTransaction, of writer: UniqueID) throws {
        self.init(0, 1, clock: 0)
        self.writer = writer
        header = try ReissuedLines(transaction.lines).header
        changes = String(decoding: transaction.lines, as: UTF8.self).split(separator: "\n").dropFirst()
            .compactMap { JSONValue(text: String($0)).flatMap(Change.init(line:)) }
    }
}

extension Change {
    /// Reads the line of a change; nil for any other JSON.
    fileprivate init?(line: JSONValue) {
        func text(_ key: String) -> String? { if case .string(let text)? = line[key] { text } else { nil } }
        func texts(_ key: String) -> [String]? {
            guard case .array(let values)? = line[key] else { return nil }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        var writes: [PropertyWrite] = []
        if case .object(let members)? = line["values"] {
            writes = members.map { PropertyWrite(name: $0.key, value: $0.value) }
        }
        let ids = (texts("ids") ?? []).compactMap { UniqueID($0) }
        let verbs: [(String, Operation)] = [
            ("insert", .insert(writes)), ("update", .update(writes)), ("delete", .delete),
            ("link", .link(to: text("to") ?? "", ids: ids, positions: texts("positions"))),
            ("unlink", .unlink(to: text("to") ?? "", ids: ids)),
        ]
        guard let id = text("id").flatMap({ UniqueID($0) }), let verb = verbs.first(where: { text($0.0) != nil }),
            let entity = text(verb.0)
        else { return nil }
        self.init(entity: entity, id: id, operation: verb.1)
    }
}
