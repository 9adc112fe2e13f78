package import TributaryChanges

extension RowRun {
    /// Splits changes, in order, into runs of the changes that a run can hold, and single other changes.
    package static func pieces(of changes: [Change]) -> [Piece] {
        var pieces: [Piece] = []
        for change in changes {
            if case .run(let run)? = pieces.last, run.take(change) { continue }
            if let run = RowRun(first: change) {
                pieces.append(.run(run))
            } else {
                pieces.append(.change(change))
            }
        }
        return pieces
    }

    package enum Piece {
        case run(RowRun)
        case change(Change)
    }

    private convenience init?(first change: Change) {
        guard let (isInsert, writes) = RowRun.writes(of: change), writes.allSatisfy({ RowRun.isPlain($0.value) }) else {
            return nil
        }
        self.init(isInsert: isInsert, entity: change.entity, names: writes.map(\.name))
        _ = take(change)
    }

    /// Adds a change to the run; false when the change has another form.
    private func take(_ change: Change) -> Bool {
        guard let (isInsert, writes) = RowRun.writes(of: change), isInsert == self.isInsert, entity == change.entity,
            names == writes.map(\.name), writes.allSatisfy({ RowRun.isPlain($0.value) })
        else { return false }
        for (column, write) in writes.enumerated() {
            switch write.value {
            case .string(var text): text.withUTF8 { set(column, to: $0) }
            case .boolean(let value): set(column, to: Cell(value ? .yes : .no))
            case .integer(let value): set(column, to: Cell(.integer, bits: UInt64(bitPattern: value)))
            case .double(let value): set(column, to: Cell(.double, bits: value.bitPattern))
            default: set(column, to: Cell(.null))
            }
        }
        append(change.id)
        return true
    }

    private static func writes(of change: Change) -> (isInsert: Bool, writes: [PropertyWrite])? {
        switch change.operation {
        case .insert(let writes): writes.isEmpty ? nil : (true, writes)
        case .update(let writes): writes.isEmpty ? nil : (false, writes)
        case .delete, .link, .unlink: nil
        }
    }

    private static func isPlain(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .boolean, .integer, .double, .string: true
        case .number, .unrepresentable, .array, .object: false
        }
    }
}
