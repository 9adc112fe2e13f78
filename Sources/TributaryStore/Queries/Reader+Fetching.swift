package import TributaryChanges
import TributaryModel

extension Reader {
    /// Visible objects matching the query, in its sort order; ties are ordered by ID.
    package func rows(_ query: FetchQuery) throws -> [Row] {
        guard query.isOrderedByID, query.limit == nil, query.offset <= 0 else {
            return try fetch(query, .rows) { $0.row($1) }
        }
        // SQLite would use the index of IDs and look up each row. Reading in storage order takes half the time, and new
        // IDs are time-ordered, so there is seldom anything to sort.
        var isSorted = true
        var last: UniqueID?
        var rows = try fetch(query, .rows, isOrdered: false) { reading, statement in
            let row = reading.row(statement)
            if let id = row?.uniqueID {
                if let last, id < last { isSorted = false }
                last = id
            }
            return row
        }
        if !isSorted { rows.sort { $0.uniqueID < $1.uniqueID } }
        return rows
    }

    /// The first of the objects of ``rows(_:)`` until their values have `byteLimit` bytes, and whether others were left
    /// out.
    package func rows(_ query: FetchQuery, upTo byteLimit: Int) throws -> (rows: [Row], isCut: Bool) {
        var (bytes, isCut) = (0, false)
        let rows = try fetch(query, .rows) { reading, statement -> Row? in
            isCut = bytes > byteLimit
            guard !isCut else { return nil }
            let row = reading.row(statement)
            bytes += row?.byteCount ?? 0
            return row
        }
        return (rows, isCut)
    }

    /// The IDs of the visible objects matching the query, in its sort order; ties are ordered by ID.
    package func ids(_ query: FetchQuery) throws -> [ManagedObjectID] {
        try fetch(query, .ids) { $0.objectID($1) }
    }

    package func count(_ query: FetchQuery) throws -> Int {
        try fetch(query, .count) { Int($1.integer(0)) }.first ?? 0
    }

    private func fetch<Element>(
        _ query: FetchQuery,
        _ selection: FetchCompiler.Selection,
        isOrdered: Bool = true,
        _ read: (RowReading, BoundStatement) -> Element?
    ) throws -> [Element] {
        guard let reading = reading(rootEntity: query.entity.root) else {
            throw StoreError.invalidQuery(reason: "'\(query.entity.name)' is no entity of this store")
        }
        let sql = try FetchCompiler(query, reading: reading).select(selection, isOrdered: isOrdered)
        let statement = try self.statement(sql, isKept: query.isPlain)
        defer { statement.reset() }
        var result: [Element] = []
        while try statement.step() {
            if let element = read(reading, statement) { result.append(element) }
        }
        return result
    }

    /// Only plain queries have few enough forms to cache their statements.
    private func statement(_ sql: SQLFragment, isKept: Bool) throws -> BoundStatement {
        guard isKept else { return try BoundStatement(database, query: sql) }
        let statement = try BoundStatement(database, sql.text)
        for (index, argument) in sql.arguments.enumerated() { statement.bind(Int32(index + 1), argument) }
        return statement
    }
}
