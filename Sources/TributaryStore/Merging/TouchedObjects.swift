import GRDB
import TributaryChanges

/// Objects that deferred lines may write: the first in memory, others in a temporary SQLite file, at O(log n) each.
final class TouchedObjects {
    private let limit: Int
    private var first: Set<UniqueID> = []
    private var others: DatabaseQueue?

    init(limit: Int = 20_000) { self.limit = limit }

    var isEmpty: Bool { first.isEmpty && others == nil }

    func containsAny(of ids: [UniqueID]) throws -> Bool {
        if !first.isDisjoint(with: ids) { return true }
        guard let others else { return false }
        return try others.writeWithoutTransaction { file in
            let find = try BoundStatement(file, "SELECT 1 FROM object WHERE id = ?1")
            return try ids.contains { id in
                find.bind(1, id)
                return try find.first { _ in true } ?? false
            }
        }
    }

    func insert(_ ids: [UniqueID]) throws {
        var rest: [UniqueID] = []
        for id in ids where !first.contains(id) {
            if first.count < limit { first.insert(id) } else { rest.append(id) }
        }
        guard !rest.isEmpty else { return }
        try openedFile().writeWithoutTransaction { file in
            let insert = try BoundStatement(file, "INSERT OR IGNORE INTO object VALUES (?1)")
            for id in rest {
                insert.bind(1, id)
                try insert.run()
            }
        }
    }

    func removeAll() { (first, others) = ([], nil) }

    private func openedFile() throws -> DatabaseQueue {
        if let others { return others }
        let file = try DatabaseQueue.scratch()
        try file.writeWithoutTransaction { file in
            try file.execute(sql: "CREATE TABLE object(id BLOB PRIMARY KEY) WITHOUT ROWID")
        }
        others = file
        return file
    }
}
