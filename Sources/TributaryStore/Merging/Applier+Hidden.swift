import TributaryChanges
import TributaryModel

/// Objects that are deleted, or written to before they are known.
extension Applier {
    func hiddenObject(_ table: Int, _ id: UniqueID) throws -> HiddenObject? {
        guard hasHiddenObjects else { return nil }
        let statement = try BoundStatement(
            db,
            "SELECT deleted, registers FROM tributary_object WHERE root = ?1 AND id = ?2"
        )
        statement.bind(1, layout.tables[table].code)
        statement.bind(2, id)
        return try statement.first { row in
            row.withBytes(1) { HiddenObject(deleted: row.optionalInteger(0), packed: $0) }
        }
    }

    func store(_ hidden: HiddenObject, _ table: Int, _ id: UniqueID) throws {
        let statement = try BoundStatement(
            db,
            "INSERT OR REPLACE INTO tributary_object(root, id, deleted, registers) VALUES (?1, ?2, ?3, ?4)"
        )
        statement.bind(1, layout.tables[table].code)
        statement.bind(2, id)
        statement.bind(3, hidden.deleted)
        statement.bind(4, hidden.packed)
        try statement.run()
        hasHiddenObjects = true
        hiddenObjects[table].insert(id)
    }

    func removeHidden(_ table: Int, _ id: UniqueID) throws {
        let statement = try BoundStatement(db, "DELETE FROM tributary_object WHERE root = ?1 AND id = ?2")
        statement.bind(1, layout.tables[table].code)
        statement.bind(2, id)
        try statement.run()
    }

    /// Keeps the values in `writes` for when an insert makes the object visible.
    func updateHidden(_ table: Int, _ id: UniqueID) throws {
        let known = try hiddenObject(table, id)
        var hidden = known ?? HiddenObject()
        try merge(writes, into: &hidden, table, id)
        // A void write to an unknown object cannot be: void needs a deletion, and that is known.
        try store(hidden, table, id)
    }

    func merge(_ writes: [RegisterWrite], into hidden: inout HiddenObject, _ table: Int, _ id: UniqueID) throws {
        let isVoid = try hidden.deleted.map { try isOlder(than: $0) } ?? false
        for write in writes {
            let column = layout.tables[table].columns[write.place]
            let known = hidden.registers[write.place]
            switch column.mergeRule {
            case .latest:
                if isVoid { continue }
                if let known, try isOlder(than: known.number) { continue }
            case .max, .min:
                if let known, !write.value.beats(known.value, rule: column.mergeRule) { continue }
            case .counter:
                try add(write.value, table, id, write.place)
                continue
            }
            hidden.registers[write.place] = HiddenObject.Register(number: number, value: write.value)
        }
    }

    // MARK: Counters

    /// Adds to this writer's total.
    func add(_ amount: PropertyValue, _ table: Int, _ id: UniqueID, _ place: Int) throws {
        let select = try BoundStatement(
            db,
            "SELECT total FROM tributary_counter WHERE root = ?1 AND id = ?2 AND place = ?3 AND writer = ?4"
        )
        let replace = try BoundStatement(
            db,
            "INSERT OR REPLACE INTO tributary_counter(root, id, place, writer, total) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        for statement in [select, replace] {
            statement.bind(1, layout.tables[table].code)
            statement.bind(2, id)
            statement.bind(3, Int64(place))
            statement.bind(4, writer)
        }
        let column = layout.tables[table].columns[place]
        let before = try select.first { column.value(in: $0, at: 0) }
        replace.bind(5, before.map { $0.adding(amount) } ?? amount)
        try replace.run()
    }

    /// The sum of all writers' totals, nil when nobody has counted.
    ///
    /// Added up in the writers' order, so that the sum of
    /// numbers with a fraction is the same everywhere.
    func total(_ table: Int, _ id: UniqueID, _ place: Int) throws -> PropertyValue? {
        let statement = try BoundStatement(
            db,
            """
            SELECT c.total FROM tributary_counter c JOIN tributary_writer w ON w.id = c.writer
            WHERE c.root = ?1 AND c.id = ?2 AND c.place = ?3 ORDER BY w.uuid
            """
        )
        statement.bind(1, layout.tables[table].code)
        statement.bind(2, id)
        statement.bind(3, Int64(place))
        let column = layout.tables[table].columns[place]
        var sum: PropertyValue?
        try statement.forEach { row in
            let total = column.value(in: row, at: 0)
            sum = sum.map { $0.adding(total) } ?? total
        }
        return sum
    }
}

extension PropertyValue {
    /// The sum of two counts; integers wrap around, which keeps the order of additions without effect.
    fileprivate func adding(_ other: PropertyValue) -> PropertyValue {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): .integer(left &+ right)
        case (.double(let left), .double(let right)): .double(left + right)
        default: self
        }
    }
}
