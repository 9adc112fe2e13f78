import TributaryChanges

/// The changes of a context since its last save.
struct OracleDelta {
    var inserted: Set<Int> = [] { didSet { follow(oldValue, inserted) } }
    var deleted: Set<Int> = [] { didSet { follow(oldValue, deleted) } }
    /// Attributes and to-one registers.
    var registers: [Cell: PropertyValue] = [:]
    /// The amounts by which counters were changed.
    var amounts: [Cell: PropertyValue] = [:]
    /// The totals of the counters of new objects, as they were at the insertion.
    var totals: [Cell: PropertyValue] = [:]
    var pairs: [Pair: Bool] = [:]
    /// The orders of the rows of shelves.
    var orders: [Int: OracleOrder] = [:]
    /// The rows to which a policy returns an item: its former position decides.
    var openRows: Set<Int> = []
    /// Objects that were changed, or linked by a pair, also if nothing is left of the change.
    var touched: Set<Int> = [] { didSet { follow(oldValue, touched) } }
    /// The objects of these three sets, in the order in which they were first changed.
    private(set) var order: [Int] = []
    /// Touched objects that others have deleted, which are a conflict for a save under the policy `error`.
    var lost: Set<Int> = []

    var isEmpty: Bool {
        inserted.isEmpty && deleted.isEmpty && registers.isEmpty && amounts.isEmpty && pairs.isEmpty
            && orders.values.allSatisfy(\.isEmpty)
    }

    func isChanged(_ object: Int) -> Bool {
        registers.keys.contains { $0.object == object } || amounts.keys.contains { $0.object == object }
    }

    var objects: Set<Int> {
        inserted.union(deleted).union(registers.keys.map(\.object)).union(amounts.keys.map(\.object))
            .union(pairs.keys.flatMap { [$0.item, $0.tag] }).union(touched)
    }

    private mutating func follow(_ former: Set<Int>, _ now: Set<Int>) {
        order += now.subtracting(former).subtracting(order).sorted()
        let gone = former.subtracting(now).subtracting(inserted).subtracting(deleted).subtracting(touched)
        order.removeAll(where: gone.contains)
    }

    /// Base + delta.
    func applied(to base: OracleState, number: Int = .max) -> OracleState {
        var state = base
        // A context shows what its program has set; the store keeps the greatest value, also of an object that is deleted.
        let isCommit = number != .max
        for object in inserted {
            state.rows[object] = state.rows[object] ?? [:]
            for (cell, value) in state.extremes where isCommit && cell.object == object {
                state.rows[object]?[cell.property] = value
            }
        }
        // The context's own claim stands, and so does the claim of a later child.
        let claim = number == .max ? (state.claims.values.max() ?? 0) + 1 : number
        for (cell, value) in registers {
            let known = state.rows[cell.object]?[cell.property] ?? .null
            state.rows[cell.object]?[cell.property] =
                isCommit ? ContextModel.joined(value, over: known, cell) : value
            if isCommit, ContextModel.isExtreme(cell) {
                state.extremes[cell] = state.rows[cell.object]?[cell.property]
            }
            if cell.property == ContextModel.badge { state.claims[cell] = claim }
        }
        if number == .max {
            for (cell, total) in totals where inserted.contains(cell.object) { state.totals[cell] = total }
        }
        for (cell, amount) in amounts where !deleted.contains(cell.object) {
            state.totals[cell] = state.totals[cell]?.adding(amount) ?? amount
        }
        for (pair, isLinked) in pairs {
            if isLinked { state.pairs.insert(pair) } else { state.pairs.remove(pair) }
        }
        for object in deleted { state.rows[object] = nil }
        if number == .max { state.rowsAbove = base.orders == nil ? nil : base.allRows }
        state.orders = orders
        guard number == .max else {
            // The store keeps a pair of an object that others have deleted before.
            state.pairs = state.pairs.filter { !deleted.contains(where: $0.has) }
            state.positions = state.positions.filter { slot, _ in
                !deleted.contains(slot.shelf) && !deleted.contains(slot.item)
            }
            return state
        }
        state.pairs = state.pairs.filter { pair in
            (state.has(pair.item) || deleted.contains(pair.item)) && (state.has(pair.tag) || deleted.contains(pair.tag))
        }
        return state
    }

    /// The changes, one line for each object, without counters and links.
    var changes: [String] {
        var names: [Int: [String]] = [:]
        for cell in registers.keys {
            names[cell.object, default: []].append(ContextModel.properties(cell.object)[cell.property].name)
        }
        for object in inserted where names[object] == nil { names[object] = [] }
        let written = names.filter { !deleted.contains($0.key) }.map { object, names in
            OracleDelta.line(inserted.contains(object) ? "insert" : "update", object, names)
        }
        return (written + deleted.map { OracleDelta.line("delete", $0, []) }).sorted()
    }

    static func line(_ verb: String, _ object: Int, _ names: some Sequence<String>) -> String {
        let counters = ["stock", "weight", "hits"]
        let names = names.filter { !counters.contains($0) }.sorted().joined(separator: ",")
        return "\(verb) \(ContextModel.name(object)) \(names)"
    }

    mutating func add(_ amount: PropertyValue, to cell: Cell) {
        let sum = amounts[cell]?.adding(amount) ?? amount
        amounts[cell] = sum.isZero ? nil : sum
    }

    /// Objects without a change are not touched any more.
    mutating func forgetTouched(_ objects: Set<Int>) {
        for object in objects where !isChanged(object) && orders[object]?.moved.isEmpty ?? true {
            if !pairs.keys.contains(where: { $0.has(object) }) { touched.remove(object) }
        }
    }

    /// The changes of one object.
    func only(_ object: Int) -> OracleDelta {
        var delta = OracleDelta()
        delta.registers = registers.filter { $0.key.object == object }
        delta.amounts = amounts.filter { $0.key.object == object }
        return delta
    }

    /// Drops the changes of an object.
    mutating func forget(_ object: Int) {
        inserted.remove(object)
        deleted.remove(object)
        registers = registers.filter { $0.key.object != object }
        amounts = amounts.filter { $0.key.object != object }
        pairs = pairs.filter { !$0.key.has(object) }
        // What was put on a shelf is a change of the items.
        if let added = orders[object]?.added { orders[object] = OracleOrder(added: added) }
        leaveRows(object)
        touched.remove(object)
    }

    /// The item stays where it is stored.
    mutating func stayInRows(_ item: Int) {
        for shelf in orders.keys { orders[shelf]?.moved.remove(item) }
        leaveRows(item)
    }

    mutating func addToRow(_ shelf: Int, _ item: Int) {
        guard orders[shelf]?.added.contains(item) != true else { return }
        orders[shelf, default: OracleOrder()].added.append(item)
    }

    mutating func leaveRows(_ item: Int) {
        for shelf in orders.keys { orders[shelf]?.added.removeAll { $0 == item } }
    }
}
