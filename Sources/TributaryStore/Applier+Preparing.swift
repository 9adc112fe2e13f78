import TributaryChanges

extension Applier {
    /// Finds out for all inserts of the slice at once what each would have to look up.
    func prepare(_ slice: ChangeSlice) throws {
        for table in visibility.indices where visibility[table].count > Applier.visibilityLimit {
            visibility[table].removeAll(keepingCapacity: true)
        }
        var start = slice.operations.startIndex
        while start < slice.operations.endIndex {
            let table = slice.operations[start].table
            var end = start
            var firstInsert: UniqueID?
            var lastInsert: UniqueID?
            let isTarget = !layout.incoming[table].isEmpty || !layout.linksOf[table].isEmpty
            while end < slice.operations.endIndex, slice.operations[end].table == table {
                if case .write(let shape) = slice.operations[end].action, shapes[shape].isInsert {
                    let id = slice.operations[end].id
                    firstInsert = firstInsert ?? id
                    lastInsert = id
                    if isTarget { visibility[table][id] = true }
                }
                end += 1
            }
            hiddenObjects[table] = Presence()
            danglingTargets[table] = Presence()
            if let firstInsert, let lastInsert {
                if hasHiddenObjects {
                    hiddenObjects[table] = try presence(
                        "SELECT id FROM tributary_object WHERE root = ?1 AND id BETWEEN ?2 AND ?3",
                        (layout.tables[table].code, firstInsert, lastInsert)
                    )
                }
                if hasDangling {
                    danglingTargets[table] = try presence(
                        "SELECT target FROM tributary_reference WHERE target_root = ?1 AND target BETWEEN ?2 AND ?3",
                        (layout.tables[table].code, firstInsert, lastInsert)
                    )
                }
            }
            start = end
        }
    }

    private func presence(_ sql: String, _ range: (code: Int64, first: UniqueID, last: UniqueID)) throws -> Presence {
        let statement = try BoundStatement(db, sql + " LIMIT \(Presence.limit + 1)")
        statement.bind(1, range.code)
        statement.bind(2, range.first)
        statement.bind(3, range.last)
        var found = Presence()
        var count = 0
        try statement.forEach { row in
            count += 1
            if let id = row.id(0) { found.insert(id) }
        }
        if count > Presence.limit { found.collapse() }
        return found
    }

    func isVisible(_ table: Int, _ id: UniqueID) throws -> Bool {
        if let known = visibility[table][id] { return known }
        let statement = try self.table(table).exists
        statement.bind(1, id)
        let isThere = try statement.first { _ in true } ?? false
        visibility[table][id] = isThere
        return isThere
    }

    func visibleRow(_ table: Int, _ id: UniqueID) throws -> VisibleRow? {
        let statement = try self.table(table).select
        statement.bind(1, id)
        return try statement.first { VisibleRow($0, layout: layout) }
    }
}
