import GRDB
import TributaryChanges

struct AnswerTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    func insert(_ answer: LocalTransaction.Idempotency, number: Int64, at now: WallTime) throws {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_answer(key, number, detail, committed_at) VALUES (?1, ?2, ?3, ?4)"
        )
        insert.bindAll(answer.key, number, answer.detail, now.unixSeconds)
        try insert.run()
    }

    func answer(to key: String) throws -> (number: Int64, detail: String)? {
        let select = try BoundStatement(db, "SELECT number, detail FROM tributary_answer WHERE key = ?1")
        select.bind(1, key)
        return try select.first { ($0.integer(0), $0.text(1)) }
    }

    /// Also removes the answers up to `last` from after `wall`, because the wall clock was ahead when they were committed.
    func remove(committedBefore seconds: Double, orAfter wall: WallTime, through last: Int64) throws {
        let delete = try BoundStatement(
            db,
            "DELETE FROM tributary_answer WHERE committed_at < ?1 OR committed_at > ?2 AND number <= ?3"
        )
        delete.bindAll(seconds, wall.unixSeconds, last)
        try delete.run()
    }
}
