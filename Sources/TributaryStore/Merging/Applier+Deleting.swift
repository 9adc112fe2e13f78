import TributaryChanges
import TributaryModel

extension Applier {
    func delete(_ table: Int, _ id: UniqueID) throws {
        guard let row = try visibleRow(table, id) else { return try deleteHidden(table, id) }
        let deleted = try stamps.later(row.versions.deleted, number)
        if deleted != number { return }
        // An insert of the same transaction came before: had it come after, it would not have been applied yet.
        if row.versions.inserted != number, try isOlder(than: row.versions.inserted) {
            return try voidOlderRegisters(of: row, table: table)
        }
        var hidden = HiddenObject(deleted: number)
        var claims: [(place: Int, target: UniqueID)] = []
        for (place, column) in layout.tables[table].columns.enumerated() {
            if case .reference(_, true, _) = column.kind,
                let target = try shownClaim(of: row, table: table, place: place)
            {
                claims.append((place, target))
            }
            if let register = try survivor(place, of: row, table: table) { hidden.registers[place] = register }
        }
        try keepTombstone(of: row, table: table)
        try removeAllDangling(table, id)
        let statement = try self.table(table).delete
        statement.bind(1, row.rowid)
        try statement.run()
        try store(hidden, table, id)
        try disappear(table, id, voidingUpTo: number)
        for claim in claims { try resolveClaims(on: claim.target, table: table, place: claim.place) }
        try record(.delete, table, id, entity: row.entity, properties: [])
    }

    /// The register that a deletion by this transaction does not make void, nil when there is none.
    private func survivor(_ place: Int, of row: VisibleRow, table: Int) throws -> HiddenObject.Register? {
        let column = layout.tables[table].columns[place]
        guard column.isRegister, column.mergeRule != .counter,
            let known = row.versions.register(place, isHeld: layout.entities[row.entity].holds[place])
        else { return nil }
        if column.mergeRule == .latest, try known == number || !isOlder(than: known) { return nil }
        if case .reference = column.kind {
            let target = try reference(of: row, table: table, place: place)
            return HiddenObject.Register(number: known, value: target.map(PropertyValue.reference) ?? .null)
        }
        let value = try self.table(table).value(place, rowid: row.rowid)
        return HiddenObject.Register(number: known, value: value)
    }

    /// A newer insert keeps the object visible; what was written up to the deletion reads as the default.
    private func voidOlderRegisters(of row: VisibleRow, table: Int) throws {
        var row = row
        row.versions.deleted = number
        let holds = layout.entities[row.entity].holds
        var defaults: [RegisterWrite] = []
        for (place, column) in layout.tables[table].columns.enumerated() {
            guard column.isRegister, column.mergeRule == .latest,
                let known = row.versions.register(place, isHeld: holds[place]),
                try known == number || !isOlder(than: known)
            else { continue }
            row.versions.setRegister(place, to: nil, isHeld: holds[place])
            defaults.append(RegisterWrite(place: place, value: layout.entities[row.entity].defaults[place]))
        }
        try write(defaults, to: row, table: table)
        try hideLinks(table, row.id, voidingUpTo: number, keepsNewer: true)
        if !defaults.isEmpty {
            let names = names(of: defaults.map(\.place), table)
            try record(.update, table, row.id, entity: row.entity, properties: names)
        }
    }

    private func deleteHidden(_ table: Int, _ id: UniqueID) throws {
        var hidden = try hiddenObject(table, id) ?? HiddenObject()
        guard try stamps.later(hidden.deleted, number) == number else { return }
        hidden.deleted = number
        for (place, register) in hidden.registers {
            guard layout.tables[table].columns[place].mergeRule == .latest else { continue }
            if try register.number == number || !isOlder(than: register.number) { hidden.registers[place] = nil }
        }
        try store(hidden, table, id)
        try disappear(table, id, voidingUpTo: number)
    }
}
