import TributaryChanges
import TributaryModel

extension Applier {
    /// An update with the values in `writes`; `shape` is nil for a reference that was written from its other end.
    func update(_ table: Int, _ id: UniqueID, shape: Int?) throws {
        guard let row = try visibleRow(table, id) else { return try updateHidden(table, id) }
        let won = try merge(into: row, table: table, insertedAs: nil)
        guard !won.isEmpty else { return }
        if let shape, row.entity == shapes[shape].entity, won.count == shapes[shape].targets.count {
            try record(.update, table, id, entity: row.entity, keys: try historyKeys(of: shape))
        } else {
            try record(.update, table, id, entity: row.entity, properties: names(of: won, table))
        }
    }

    /// An insert of an object that is visible already: the two are one object.
    func mergeInsert(_ table: Int, _ id: UniqueID, entity: Int) throws {
        guard let row = try visibleRow(table, id) else { return }
        let won = try merge(into: row, table: table, insertedAs: entity)
        guard !won.isEmpty || row.entity != entity else { return }
        let now = try visibleRow(table, id)?.entity ?? row.entity
        try record(.update, table, id, entity: now, properties: names(of: won, table))
    }

    func names(of places: [Int], _ table: Int) -> [String] {
        places.map { layout.tables[table].columns[$0].property }
    }

    /// Merges `writes` into a visible row.
    ///
    /// - Returns: the places of the columns that changed.
    private func merge(into row: VisibleRow, table: Int, insertedAs entity: Int?) throws -> [Int] {
        var row = row
        let columns = layout.tables[table].columns
        let isVoid = try row.versions.deleted.map { try isOlder(than: $0) } ?? false
        var isHeadChanged = false
        let entityBefore = row.entity
        if let entity, try !isOlder(than: row.versions.inserted) {
            if entity != row.entity {
                row.versions = reexpress(row.versions, from: row.entity, to: entity)
                try self.table(table).setEntity(layout.entities[entity].code, rowid: row.rowid)
                row.entity = entity
            }
            row.versions.inserted = number
            isHeadChanged = true
        }
        let holds = layout.entities[row.entity].holds
        var won: [RegisterWrite] = []
        for write in writes {
            let column = columns[write.place]
            let known = row.versions.register(write.place, isHeld: holds[write.place])
            switch column.mergeRule {
            case .latest:
                if isVoid { continue }
                if let known, try isOlder(than: known) { continue }
            case .max, .min:
                if known != nil {
                    let current = try self.table(table).value(write.place, rowid: row.rowid)
                    guard write.value.beats(current, rule: column.mergeRule) else { continue }
                }
            case .counter:
                try add(write.value, table, row.id, write.place)
                let sum = try total(table, row.id, write.place) ?? layout.entities[row.entity].defaults[write.place]
                won.append(RegisterWrite(place: write.place, value: sum))
                continue
            }
            row.versions.setRegister(write.place, to: number, isHeld: holds[write.place])
            won.append(write)
        }
        guard !won.isEmpty || isHeadChanged else { return [] }
        if row.entity != entityBefore { won += try unwritten(row, table: table, before: entityBefore, besides: won) }
        try write(won, to: row, table: table)
        return won.map(\.place)
    }

    /// What the columns without a write show now that the concrete entity is another one: the default where it has the
    /// property, nothing where it has not.
    private func unwritten(
        _ row: VisibleRow,
        table: Int,
        before: Int,
        besides won: [RegisterWrite]
    ) throws -> [RegisterWrite] {
        let columns = layout.tables[table].columns
        let (old, new) = (layout.entities[before], layout.entities[row.entity])
        let holds = new.holds
        var shown: [RegisterWrite] = []
        for place in columns.indices where columns[place].isRegister {
            if old.holds[place] == holds[place], old.defaults[place] == new.defaults[place] { continue }
            if won.contains(where: { $0.place == place }) { continue }
            if columns[place].mergeRule == .counter {
                if try total(table, row.id, place) != nil { continue }
            } else if row.versions.register(place, isHeld: holds[place]) != nil {
                continue
            }
            shown.append(RegisterWrite(place: place, value: layout.entities[row.entity].defaults[place]))
        }
        return shown
    }

    /// Writes columns and the head of a row; references are shown only while their targets are visible.
    func write(_ values: [RegisterWrite], to row: VisibleRow, table: Int) throws {
        let columns = layout.tables[table].columns
        let places = values.map(\.place)
        var claims: [(place: Int, target: UniqueID, newcomer: UniqueID?)] = []
        let statement = try self.table(table).update(places)
        for (index, value) in values.enumerated() {
            var shown = value.value
            if case .reference(let targetTable, let isClaim, _) = columns[value.place].kind {
                if let before = try shownClaim(of: row, table: table, place: value.place),
                    value.value != .reference(before)
                {
                    claims.append((value.place, before, nil))
                }
                try removeDangling(table, row.id, place: value.place)
                if case .reference(let target) = value.value {
                    if isClaim { claims.append((value.place, target, row.id)) }
                    if try !isVisible(targetTable, target) {
                        try addDangling(table, row.id, place: value.place, target: target)
                        shown = .null
                    }
                }
            }
            statement.bind(Int32(index + 5), shown)
        }
        statement.bind(1, revision)
        statement.bind(2, row.versions.base == revision ? nil : row.versions.base)
        statement.bind(3, row.versions.encoded)
        statement.bind(4, row.rowid)
        try statement.run()
        for claim in claims {
            try resolveClaims(on: claim.target, table: table, place: claim.place, newcomer: claim.newcomer)
        }
    }

    /// The same versions, said for another concrete entity.
    private func reexpress(_ versions: RowVersions, from old: Int, to new: Int) -> RowVersions {
        var result = versions
        for place in layout.tables[layout.entities[old].table].columns.indices {
            let number = versions.register(place, isHeld: layout.entities[old].holds[place])
            let isCounter = layout.tables[layout.entities[old].table].columns[place].mergeRule == .counter
            result.setRegister(
                place,
                to: isCounter && layout.entities[new].holds[place] ? versions.base : number,
                isHeld: layout.entities[new].holds[place]
            )
        }
        return result
    }
}
