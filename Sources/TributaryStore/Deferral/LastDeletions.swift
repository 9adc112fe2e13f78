import GRDB
import TributaryChanges

/// Finds the last deletion of each object, in the tables and among the deferred deletions.
///
/// Many links may lead to an object that has many deferred deletions, so a deletion that took many rows to find is
/// cached.
final class LastDeletions {
    private let database: Database
    private let layout: StoreModel
    private let versions: VersionCache
    /// The cache by object; it holds only objects with several deferred deletions, so deferred writes bound its size.
    private var known: [UniqueID: Int64?] = [:]

    init(database: Database, layout: StoreModel, versions: VersionCache) {
        self.database = database
        self.layout = layout
        self.versions = versions
    }

    /// The last deletion of the object in any table, or among the deferred ones.
    func last(of id: UniqueID) throws -> Int64? {
        if let last = known[id] { return last }
        var last: Int64?
        for table in layout.tables { last = try later(last, self.last(of: id, in: table)) }
        let deferred = try deferredDeletions(of: id)
        for number in deferred { last = try later(last, number) }
        if deferred.count > 1 { known[id] = .some(last) }
        return last
    }

    /// The last deletion of the object in one table.
    func last(of id: UniqueID, in table: TableLayout) throws -> Int64? {
        let hidden = try BoundStatement(database, "SELECT deleted FROM tributary_object WHERE root = ?1 AND id = ?2")
        hidden.bind(1, table.code)
        hidden.bind(2, id)
        let visible = try BoundStatement(
            database,
            "SELECT \(ObjectTable.head(table)) FROM \(table.quotedName) WHERE _id = ?1"
        )
        visible.bind(1, id)
        return try later(
            hidden.first { $0.optionalInteger(0) } ?? nil,
            visible.first { VisibleRow($0, layout: layout).versions.deleted } ?? nil
        )
    }

    private func deferredDeletions(of id: UniqueID) throws -> [Int64] {
        let select = try BoundStatement(
            database,
            "SELECT version FROM tributary_parked WHERE id = ?1 AND operation = 'delete'"
        )
        select.bind(1, id)
        var numbers: [Int64] = []
        try select.forEach { numbers.append($0.integer(0)) }
        return numbers
    }

    private func later(_ first: Int64?, _ second: Int64?) throws -> Int64? {
        guard let second else { return first }
        return try versions.later(first, second)
    }
}
