import GRDB
import TributaryChanges

/// A linked pair with two visible ends is in the relationship's own table; other pairs are in `tributary_link`.
///
/// A pair in the own table without a version represents pairs of shadows, see ``ShadowLinks``.
final class LinkTables {
    struct Pair {
        var source: UniqueID
        var target: UniqueID
        var state: LinkState<Int64>
        var isShown: Bool
    }

    private let db: Database
    @exclusivity(unchecked) private(set) var hasHidden: Bool

    init(_ db: Database) throws {
        self.db = db
        hasHidden = try db.hasRows("tributary_link")
    }

    func pair(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws -> Pair? {
        let shown = try BoundStatement(db, "\(select(link)) WHERE _source = ?1 AND _target = ?2 AND _version <> 0")
        shown.bindAll(source, target)
        if let found = try shown.first({ read($0, isShown: true) }) { return found }
        guard hasHidden else { return nil }
        let hidden = try BoundStatement(
            db,
            "\(LinkTables.selectHidden) WHERE link = ?1 AND source = ?2 AND target = ?3"
        )
        hidden.bindAll(link.code, source, target)
        return try hidden.first { read($0, isShown: false) }
    }

    func shownPairs(_ link: LinkLayout, _ table: Int, _ id: UniqueID) throws -> [Pair] {
        var found: [Pair] = []
        let ends = [(link.source, "_source = ?1"), (link.target, "_target = ?1 AND _source <> ?1")]
        for (end, condition) in ends where end == table {
            let statement = try BoundStatement(db, "\(select(link)) WHERE \(condition) AND _version <> 0")
            statement.bind(1, id)
            found += try statement.all { read($0, isShown: true) }
        }
        return found
    }

    func hiddenPairs(_ link: LinkLayout, _ table: Int, _ id: UniqueID) throws -> [Pair] {
        guard hasHidden else { return [] }
        var found: [Pair] = []
        // Without `INDEXED BY`, SQLite's planner chooses the primary key and reads all pairs of the relationship.
        let ends = [
            (link.source, "WHERE link = ?1 AND source = ?2"),
            (link.target, "INDEXED BY tributary_link_target WHERE link = ?1 AND target = ?2 AND source <> ?2"),
        ]
        for (end, condition) in ends where end == table {
            let statement = try BoundStatement(db, "\(LinkTables.selectHidden) \(condition)")
            statement.bindAll(link.code, id)
            found += try statement.all { read($0, isShown: false) }
        }
        return found
    }

    func representingPairs(_ link: LinkLayout, _ table: Int, _ id: UniqueID) throws
        -> [(source: UniqueID, target: UniqueID)]
    {
        var found: [(source: UniqueID, target: UniqueID)] = []
        for (end, column) in [(link.source, "_source"), (link.target, "_target")] where end == table {
            let statement = try BoundStatement(db, CachedSQL(select(link) + " WHERE \(column) = ?1 AND _version = 0"))
            statement.bind(1, id)
            found += try statement.all { row in
                row.id(0).flatMap { source in row.id(1).map { (source: source, target: $0) } }
            }
        }
        return found
    }

    func representingPair(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws -> RepresentingPair? {
        let statement = try BoundStatement(
            db,
            "\(select(link)) WHERE _source = ?1 AND _target = ?2 AND _version = 0"
        )
        statement.bindAll(source, target)
        return try statement.first { RepresentingPair(position: $0.optionalText(4)) }
    }

    private func select(_ link: LinkLayout) -> String {
        "SELECT _source, _target, _version, 0, \(link.isOrdered ? "_position" : "NULL") FROM \(link.quotedName)"
    }

    private static let selectHidden = "SELECT source, target, version, removed, position FROM tributary_link"

    private func read(_ row: BoundStatement, isShown: Bool) -> Pair {
        let none = UniqueID(high: 0, low: 0)
        let state = LinkState(version: row.integer(2), isRemoved: row.integer(3) != 0, position: row.optionalText(4))
        return Pair(source: row.id(0) ?? none, target: row.id(1) ?? none, state: state, isShown: isShown)
    }

    func insertShown(_ pair: Pair, _ link: LinkLayout) throws {
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO \(link.quotedName)(_source, _target, _version\(link.isOrdered ? ", _position" : ""))
            VALUES (?1, ?2, ?3\(link.isOrdered ? ", ?4" : ""))
            """
        )
        statement.bindAll(pair.source, pair.target, pair.state.version)
        if link.isOrdered { statement.bind(4, pair.state.position) }
        try statement.run()
    }

    func insertHidden(_ pair: Pair, _ link: LinkLayout) throws {
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO tributary_link(link, source, target, version, removed, position)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
        )
        let (state, isRemoved) = (pair.state, pair.state.isRemoved ? 1 : 0)
        statement.bindAll(link.code, pair.source, pair.target, state.version, isRemoved, state.position)
        try statement.run()
        hasHidden = true
    }

    func removeShown(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws {
        let statement = try BoundStatement(db, "DELETE FROM \(link.quotedName) WHERE _source = ?1 AND _target = ?2")
        statement.bindAll(source, target)
        try statement.run()
    }

    func removeHidden(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws {
        let statement = try BoundStatement(
            db,
            "DELETE FROM tributary_link WHERE link = ?1 AND source = ?2 AND target = ?3"
        )
        statement.bindAll(link.code, source, target)
        try statement.run()
    }
}

struct RepresentingPair {
    var position: String?
}
