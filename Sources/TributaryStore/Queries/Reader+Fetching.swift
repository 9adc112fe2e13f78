package import TributaryChanges
package import TributaryModel

extension Reader {
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

    /// The first rows, up to about `byteLimit` bytes of values; `isCut` tells whether rows are missing.
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
            throw StoreError.invalidQuery(reason: "'\(query.entity.name)' is not an entity of this store")
        }
        let sql = try FetchCompiler(query, reading: reading).select(selection, isOrdered: isOrdered)
        let statement = try self.statement(sql, isKept: query.isPlain)
        return try statement.all { read(reading, $0) }
    }

    private func statement(_ sql: SQLFragment, isKept: Bool) throws -> BoundStatement {
        guard isKept else { return try BoundStatement(database, query: sql) }
        let statement = try BoundStatement(database, CachedSQL(sql.text))
        for (index, argument) in sql.arguments.enumerated() { statement.bind(Int32(index + 1), argument) }
        return statement
    }
}

extension Reader {
    package func row(_ id: UniqueID, rootEntity: String) throws -> Row? {
        guard let reading = reading(rootEntity: rootEntity) else { return nil }
        let statement = try BoundStatement(database, CachedSQL(reading.table.rowByID))
        statement.bind(1, id)
        return try statement.first { reading.row($0) } ?? nil
    }

    package func objectIDs(
        in range: ClosedRange<UniqueID>,
        rootEntity: String,
        limit: Int
    ) throws -> [ManagedObjectID] {
        guard let reading = reading(rootEntity: rootEntity) else { return [] }
        let sql: CachedSQL = """
            SELECT \(reading.idColumns(alias: "o")) FROM \(reading.table.quotedName) o
            WHERE o._id BETWEEN ?1 AND ?2 ORDER BY o._id LIMIT ?3
            """
        let statement = try BoundStatement(database, sql)
        statement.bindAll(range.lowerBound, range.upperBound, limit)
        return try reading.ids(statement)
    }

    func objectID(_ id: UniqueID, rootEntity: String) throws -> ManagedObjectID? {
        guard let reading = reading(rootEntity: rootEntity) else { return nil }
        let statement = try BoundStatement(
            database,
            "SELECT \(reading.idColumns(alias: "o")) FROM \(reading.table.quotedName) o WHERE o._id = ?1"
        )
        statement.bind(1, id)
        return try statement.first { reading.objectID($0) } ?? nil
    }

    /// The visible objects at the other end: in the order of an ordered relationship, otherwise by ID.
    package func related(
        to id: UniqueID,
        entity: Entity,
        propertyIndex: Int,
        limit: Int? = nil,
        offset: Int = 0
    ) throws -> [ManagedObjectID] {
        guard let (join, reading) = join(of: entity, propertyIndex: propertyIndex) else { return [] }
        let sql: CachedSQL = """
            SELECT \(reading.idColumns(alias: "o")) FROM \(join.source(target: "o", link: "l"))
            WHERE \(join.condition(owner: "?1", ownerColumns: nil, target: "o", link: "l"))
            ORDER BY \(join.order(target: "o", link: "l")) LIMIT ?2 OFFSET ?3
            """
        let statement = try BoundStatement(database, sql)
        statement.bindAll(id, limit ?? -1, offset)
        return try reading.ids(statement)
    }

    func join(of entity: Entity, propertyIndex: Int) -> (RelationshipJoin, RowReading)? {
        guard let layout = context.layout.entity(named: entity.name), layout.places.indices.contains(propertyIndex),
            case .relationship(let relationship, _) = layout.entity.properties[propertyIndex],
            let join = RelationshipJoin(relationship, in: layout, layout: context.layout),
            let reading = reading(rootEntity: join.target.root.name)
        else { return nil }
        return (join, reading)
    }

    func reading(rootEntity: String) -> RowReading? {
        context.layout.table(rootEntity: rootEntity).map { RowReading(table: $0, context: context) }
    }
}

extension Reader {
    /// In no particular order; one query for each root entity.
    package func rows(_ ids: [ManagedObjectID]) throws -> [Row] {
        var result: [Row] = []
        for (root, ids) in Dictionary(grouping: ids, by: \.rootEntity) {
            guard let reading = reading(rootEntity: root) else { continue }
            let sql: CachedSQL = """
                WITH RECURSIVE place(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n + 1 < ?2)
                SELECT \(reading.columns(alias: "o")) FROM place p
                CROSS JOIN \(reading.table.quotedName) o ON o._id = substr(?1, p.n * 16 + 1, 16)
                """
            let statement = try BoundStatement(database, sql)
            statement.bindAll(ids.map(\.uniqueID).packed, ids.count)
            result += try statement.all { reading.row($0) }
        }
        return result
    }
}

extension [UniqueID] {
    var packed: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count * 16)
        bytes.withUnsafeMutableBytes { buffer in
            for (index, id) in enumerated() {
                id.write(to: UnsafeMutableRawBufferPointer(rebasing: buffer[index * 16..<index * 16 + 16]))
            }
        }
        return bytes
    }
}

extension Reader {
    /// Reads the relationship of all owners with one query; `owner` is an index of `owners`.
    package func relatedRows(of owners: [UniqueID], entity: Entity, propertyIndex: Int) throws -> [(
        owner: Int, row: Row
    )] {
        guard let (join, reading) = join(of: entity, propertyIndex: propertyIndex) else { return [] }
        let statement = try related(to: owners, join, reading.columns(alias: "o"))
        let place = RowReading.fixedColumns + Int32(reading.table.columns.count)
        return try statement.all { row in reading.row(row).map { (owner: Int(row.integer(place)), row: $0) } }
    }

    func relatedIDs(of owners: [UniqueID], entity: Entity, propertyIndex: Int) throws -> [(
        owner: Int, id: ManagedObjectID
    )] {
        guard !owners.isEmpty, let (join, reading) = join(of: entity, propertyIndex: propertyIndex) else { return [] }
        let statement = try related(to: owners, join, reading.idColumns(alias: "o"))
        return try statement.all { row in reading.objectID(row).map { (owner: Int(row.integer(2)), id: $0) } }
    }

    private func related(to owners: [UniqueID], _ join: RelationshipJoin, _ columns: String) throws -> BoundStatement {
        // The owners are one parameter, so that the statement does not depend on their number.
        let owner = "substr(?1, p.n * 16 + 1, 16)"
        let sql: CachedSQL = """
            WITH RECURSIVE place(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n + 1 < ?2)
            SELECT \(columns), p.n FROM place p CROSS JOIN \(join.source(target: "o", link: "l"))
            WHERE \(join.condition(owner: owner, ownerColumns: nil, target: "o", link: "l"))
            ORDER BY p.n, \(join.order(target: "o", link: "l"))
            """
        let statement = try BoundStatement(database, sql)
        statement.bindAll(owners.packed, owners.count)
        return statement
    }
}

extension Reader {
    package func owners(of id: UniqueID, entity: Entity, propertyIndex: Int) throws -> [ManagedObjectID] {
        guard let layout = context.layout.entity(named: entity.name), layout.places.indices.contains(propertyIndex),
            case .links(let index, ownsPairs: true) = layout.places[propertyIndex],
            let reading = reading(rootEntity: entity.root)
        else { return [] }
        let sql: CachedSQL = """
            SELECT \(reading.idColumns(alias: "o")) FROM \(context.layout.links[index].quotedName) l
            CROSS JOIN \(reading.table.quotedName) o ON o._id = l._source WHERE l._target = ?1 ORDER BY o._id
            """
        let statement = try BoundStatement(database, sql)
        statement.bind(1, id)
        return try reading.ids(statement)
    }

    /// The visible objects that refer to `id` in a to-one register while `id` is not visible.
    package func waiting(for id: UniqueID, entity: Entity, propertyIndex: Int) throws -> [UniqueID] {
        guard let layout = context.layout.entity(named: entity.name), layout.places.indices.contains(propertyIndex),
            case .inverse(let table, let column, _) = layout.places[propertyIndex]
        else { return [] }
        let references = try UnresolvedReferenceTable(database, layout: context.layout)
        return try references.sources(of: id, StoreModel.ColumnIndex(table: table, column: column))
    }

    package func positions(
        of id: UniqueID,
        entity: Entity,
        propertyIndex: Int
    ) throws -> [(id: ManagedObjectID, position: String)] {
        guard let (join, reading) = join(of: entity, propertyIndex: propertyIndex) else { return [] }
        let sql: CachedSQL = """
            SELECT \(reading.idColumns(alias: "o")), \(join.position(target: "o", link: "l"))
            FROM \(join.source(target: "o", link: "l"))
            WHERE \(join.condition(owner: "?1", ownerColumns: nil, target: "o", link: "l"))
            ORDER BY \(join.order(target: "o", link: "l"))
            """
        let statement = try BoundStatement(database, sql)
        statement.bind(1, id)
        return try statement.all { row in reading.objectID(row).map { (id: $0, position: row.optionalText(2) ?? "") } }
    }
}
