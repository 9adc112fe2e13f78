import TributaryChanges

/// What a save does about labels that would have one code, as the article about conflicts says it.
struct OracleKeys {
    private let policy: String
    private let newest: OracleState
    /// The new labels that are not written, and the labels that take their part.
    private(set) var replacements: [Int: Int] = [:]
    /// Saved labels that keep what the store has.
    private var dropped: Set<Int> = []
    private(set) var conflicts: [String] = []

    init(policy: String, newest: OracleState) { (self.policy, self.newest) = (policy, newest) }

    static func text(_ values: [PropertyValue], _ objects: [Int]) -> String {
        "\(objects.sorted().map(ContextModel.name)) share \(values.map(ContextModel.text))"
    }

    private static func code(_ object: Int, _ state: OracleState) -> PropertyValue {
        guard state.has(object) else { return .null }
        return state.value(Cell(object: object, property: ContextModel.code))
    }

    private static func labels(_ objects: some Sequence<Int>) -> [Int] {
        objects.filter { ContextModel.entity(of: $0) == ContextModel.label }
    }

    private func isSettled(_ object: Int) -> Bool { replacements[object] != nil || dropped.contains(object) }

    /// Compares the labels of the context, in the order in which they were changed, with each other and with the store.
    mutating func settle(_ write: inout OracleWrite, shown: OracleState) {
        let delta = write.delta
        var holders: [PropertyValue: Int] = [:]
        for object in OracleKeys.labels(delta.order) where !delta.deleted.contains(object) && !isSettled(object) {
            let code = OracleKeys.code(object, shown)
            guard code != .null else { continue }
            if let other = holders[code], !isSettled(other) {
                if settle(object, against: other, code, &write) == other { holders[code] = object }
                continue
            }
            holders[code] = object
            let cell = Cell(object: object, property: ContextModel.code)
            guard delta.inserted.contains(object) || delta.registers[cell] != nil else { continue }
            for stored in OracleKeys.labels(newest.rows.keys.sorted())
            where stored != object && OracleKeys.code(stored, newest) == code && !delta.order.contains(stored) {
                settle(object, againstStored: stored, code, &write)
            }
        }
        redirect(&write)
    }

    /// Compares what would be stored: the context may not have known the code of a label that it has changed.
    mutating func settleStored(_ write: inout OracleWrite) {
        for object in OracleKeys.labels(write.delta.order) where !isSettled(object) {
            let state = write.delta.applied(to: newest)
            let code = OracleKeys.code(object, state)
            guard code != .null else { continue }
            for stored in OracleKeys.labels(newest.rows.keys.sorted())
            where stored != object && OracleKeys.code(stored, state) == code {
                settle(object, againstStored: stored, code, &write)
            }
        }
        redirect(&write)
    }

    /// A new label loses to a saved one; of two new ones the later loses when the policy prefers the store.
    private mutating func settle(
        _ object: Int,
        against other: Int,
        _ code: PropertyValue,
        _ write: inout OracleWrite
    ) -> Int? {
        let (isNew, isOtherNew) = (write.delta.inserted.contains(object), write.delta.inserted.contains(other))
        guard policy != "error", isNew || isOtherNew else {
            conflicts.append(OracleKeys.text([code], [object, other]))
            return nil
        }
        let prefersStore = policy == "storeTrump" || policy == "rollback"
        let loser = isNew && isOtherNew ? (prefersStore ? object : other) : (isNew ? object : other)
        replacements[loser] = loser == object ? other : object
        return loser
    }

    private mutating func settle(
        _ object: Int,
        againstStored stored: Int,
        _ code: PropertyValue,
        _ write: inout OracleWrite
    ) {
        let isNew = write.delta.inserted.contains(object)
        switch policy {
        case "objectTrump" where isNew:
            for (cell, value) in write.delta.registers where cell.object == object {
                write.delta.registers[Cell(object: stored, property: cell.property)] = value
            }
            for (cell, amount) in write.delta.amounts where cell.object == object {
                write.delta.add(amount, to: Cell(object: stored, property: cell.property))
            }
            replacements[object] = stored
        case "overwrite":
            write.delta.forget(stored)
            write.delta.deleted.insert(stored)
        case "storeTrump", "rollback":
            if isNew { replacements[object] = stored } else { dropped.insert(object) }
        default: conflicts.append(OracleKeys.text([code], [object, stored]))
        }
    }

    /// What refers to a label that is not written refers to the one that takes its part.
    private func redirect(_ write: inout OracleWrite) {
        for object in dropped.union(replacements.keys) { write.delta.forget(object) }
        for (cell, value) in write.delta.registers {
            guard case .reference(let id) = value else { continue }
            var target = ContextModel.object(id)
            while let next = replacements[target] { target = next }
            write.delta.registers[cell] = .reference(ContextModel.id(target))
        }
    }
}
