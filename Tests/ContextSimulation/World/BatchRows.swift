import TributaryChanges

/// The rows of a batch that inserts objects: a number decides their values.
struct BatchRow: Sendable {
    let object: Int
    let values: [String: PropertyValue]
}

enum BatchRows {
    static func of(_ object: Int, _ number: Int) -> [BatchRow] {
        let entity = ContextModel.entity(of: object)
        let objects = [object, object + 1].filter { ContextModel.entity(of: $0) == entity }
        return objects.map { row($0, entity, number + $0 - object) }
    }

    private static func row(_ object: Int, _ entity: Int, _ number: Int) -> BatchRow {
        var values: [String: PropertyValue] = ["_id": .uuid(ContextModel.id(object))]
        func set(_ name: String, _ number: Int) {
            let value = ContextWorld.value(name, number)
            if value != .null { values[name] = value }
        }
        set("name", number)
        switch entity {
        case ContextModel.item:
            set("stock", 11 + number % 5)
            set(number % 2 == 0 ? "peak" : "seen", number)
            // The shelf may be missing.
            let shelf = PropertyValue.reference(ContextModel.id(2 + number % 3 * 4))
            if number % 5 > 0 { values["maker"] = shelf }
            if number % 3 > 0 { values["shelf"] = shelf }
        case ContextModel.label:
            set("code", number)
            if number % 5 > 0 { set("hits", number % 5) }
        default: break
        }
        return BatchRow(object: object, values: values)
    }
}

extension Oracle {
    /// A batch inserts rows; returns its changes, or nil when it should be refused.
    mutating func insertBatch(_ rows: [BatchRow], _ policy: String) -> [String]? {
        var delta = OracleDelta()
        for row in rows {
            let state = delta.applied(to: newest)
            let isItem = ContextModel.entity(of: row.object) == ContextModel.item
            if isItem, rules.isMakerMandatory {
                guard case .reference(let maker)? = row.values["maker"], newest.has(ContextModel.object(maker)) else {
                    return nil
                }
            }
            if let holder = holder(of: row.values["code"], state) {
                switch policy {
                case "storeTrump", "rollback": continue
                case "overwrite" where !delta.inserted.contains(holder): delta.deleted.insert(holder)
                case "objectTrump", "overwrite":
                    write(row, to: holder, state, all: policy == "overwrite", &delta)
                    continue
                default: return nil
                }
            }
            guard !newest.has(row.object) else { return nil }
            delta.inserted.insert(row.object)
            for (name, value) in row.values {
                guard let property = ContextModel.property(row.object, name) else { continue }
                let cell = Cell(object: row.object, property: property)
                if case .attribute(.counter, let start) = ContextModel.properties(row.object)[property].kind {
                    delta.add(value.subtracting(start), to: cell)
                } else {
                    delta.registers[cell] = value
                }
            }
        }
        return commitBatch(delta)
    }

    private func holder(of code: PropertyValue?, _ state: OracleState) -> Int? {
        guard let code else { return nil }
        return state.rows.keys.sorted().first { object in
            ContextModel.entity(of: object) == ContextModel.label
                && state.value(Cell(object: object, property: ContextModel.code)) == code
        }
    }

    /// The label that has the code gets the values of the row; `all` is whether also the defaults.
    private func write(_ row: BatchRow, to label: Int, _ state: OracleState, all: Bool, _ delta: inout OracleDelta) {
        for (index, property) in ContextModel.properties(label).enumerated() {
            guard case .attribute(let merge, let start) = property.kind else { continue }
            guard let value = row.values[property.name] ?? (all ? start : nil) else { continue }
            let cell = Cell(object: label, property: index)
            guard state.value(cell) != value else { continue }
            if case .counter = merge {
                delta.add(value.subtracting(state.value(cell)), to: cell)
            } else {
                delta.registers[cell] = value
            }
        }
    }
}
