import TributaryChanges

extension Applier {
    /// Finds out for all inserts of the slice at once what each would have to look up.
    func prepare(_ slice: ChangeSlice) throws {
        boundVisibility()
        var start = slice.operations.startIndex
        while start < slice.operations.endIndex {
            let table = slice.operations[start].table
            var end = start
            var firstInsert: UniqueID?
            var lastInsert: UniqueID?
            let isTarget = isTarget[table]
            while end < slice.operations.endIndex, slice.operations[end].table == table {
                if case .write(let shape) = slice.operations[end].action, shapes[shape].isInsert {
                    let id = slice.operations[end].id
                    firstInsert = firstInsert ?? id
                    lastInsert = id
                    if isTarget { visibility[table][id] = true }
                }
                end += 1
            }
            if let firstInsert, let lastInsert {
                try lookUp((firstInsert, lastInsert), table)
            } else {
                try lookUp(nil, table)
            }
            start = end
        }
    }

    func boundVisibility() {
        for table in visibility.indices where visibility[table].count > Applier.visibilityLimit {
            visibility[table].removeAll(keepingCapacity: true)
        }
    }

    /// Finds what there is of hidden objects and of references that wait, between the first and the last insert.
    func lookUp(_ inserts: (first: UniqueID, last: UniqueID)?, _ table: Int) throws {
        hiddenObjects[table] = Presence()
        danglingTargets[table] = Presence()
        guard let inserts else { return }
        if hasHiddenObjects {
            hiddenObjects[table] = try presence(
                "SELECT id FROM tributary_object WHERE root = ?1 AND id BETWEEN ?2 AND ?3",
                (layout.tables[table].code, inserts.first, inserts.last)
            )
        }
        if hasDangling {
            danglingTargets[table] = try presence(
                "SELECT target FROM tributary_reference WHERE target_root = ?1 AND target BETWEEN ?2 AND ?3",
                (layout.tables[table].code, inserts.first, inserts.last)
            )
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
        id.write(to: key)
        statement.bind(1, lasting: UnsafeRawBufferPointer(key))
        defer { statement.bindNull(1) }
        return try statement.first { VisibleRow($0, layout: layout) }
    }
}
