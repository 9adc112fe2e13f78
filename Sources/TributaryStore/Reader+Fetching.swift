package import TributaryChanges
import TributaryModel

extension Reader {
    /// Visible objects that the query asks for, in its order, those that it does not tell apart by ID.
    package func rows(_ query: FetchQuery) throws -> [Row] {
        try fetch(query, .rows) { $0.row($1) }
    }

    /// The same, IDs only.
    package func ids(_ query: FetchQuery) throws -> [ManagedObjectID] {
        try fetch(query, .ids) { $0.objectID($1) }
    }

    /// How many there are.
    package func count(_ query: FetchQuery) throws -> Int {
        try fetch(query, .count) { Int($1.integer(0)) }.first ?? 0
    }

    private func fetch<Element>(
        _ query: FetchQuery,
        _ selection: FetchCompiler.Selection,
        _ read: (RowReading, BoundStatement) -> Element?
    ) throws -> [Element] {
        guard let reading = reading(rootEntity: query.entity.root) else {
            throw StoreError.invalidQuery(reason: "'\(query.entity.name)' is no entity of this store")
        }
        let sql = try FetchCompiler(query, reading: reading).select(selection)
        let statement = try self.statement(sql, isKept: query.isPlain)
        defer { statement.reset() }
        var result: [Element] = []
        while try statement.step() {
            if let element = read(reading, statement) { result.append(element) }
        }
        return result
    }

    /// Only of plain queries there are few enough to keep their statements.
    private func statement(_ sql: SQLFragment, isKept: Bool) throws -> BoundStatement {
        guard isKept else { return try BoundStatement(database, query: sql) }
        let statement = try BoundStatement(database, sql.text)
        for (index, argument) in sql.arguments.enumerated() { statement.bind(Int32(index + 1), argument) }
        return statement
    }
}
