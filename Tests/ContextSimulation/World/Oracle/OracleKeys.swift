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

    /// Compares the codes that the store would have; a label whose changes are dropped keeps its stored code.
    mutating func settle(_ write: inout OracleWrite) {
        let before = write
        var known = -1
        while known < dropped.count {
            known = dropped.count
            (write, replacements, conflicts) = (before, [:], [])
            for object in dropped { write.delta.forget(object) }
            compare(&write)
        }
        redirect(&write)
    }

    private mutating func compare(_ write: inout OracleWrite) {
        let delta = write.delta
        let state = delta.applied(to: newest)
        let changed = OracleKeys.labels(delta.order).filter { !delta.deleted.contains($0) }
        var holders: [PropertyValue: Int] = [:]
        func hasStoredCode(_ object: Int) -> Bool {
            !delta.inserted.contains(object) && OracleKeys.code(object, state) == OracleKeys.code(object, newest)
        }
        for object in changed where !isSettled(object) && !hasStoredCode(object) {
            let code = OracleKeys.code(object, state)
            guard code != .null else { continue }
            if let other = holders[code], !isSettled(other) {
                if settle(object, against: other, code, &write) == other { holders[code] = object }
                continue
            }
            holders[code] = object
            for stored in OracleKeys.labels(newest.rows.keys.sorted())
            where stored != object && OracleKeys.code(stored, newest) == code && !delta.deleted.contains(stored) {
                if !changed.contains(stored) || dropped.contains(stored) {
                    settle(object, againstStored: stored, code, &write)
                } else if hasStoredCode(stored) {
                    _ = settle(object, against: stored, code, &write)
                    holders[code] = stored
                }
            }
        }
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
