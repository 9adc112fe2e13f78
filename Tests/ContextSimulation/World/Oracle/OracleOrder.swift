import TributaryChanges

/// A row of items on a shelf: the pair that has a position.
struct Slot: Hashable {
    var shelf: Int
    var item: Int
}

/// What a context has changed of one ordered relationship, as the article about conflicts says it.
struct OracleOrder: Equatable {
    /// The list that the context showed after its last move.
    var list: [Int] = []
    /// The objects that were moved: each follows the nearest object before it in the list.
    var moved: Set<Int> = [] {
        // Without moves the list decides nothing.
        didSet { if moved.isEmpty { list = [] } }
    }
    /// The objects that the context has added without a place, which come last.
    var added: [Int] = []

    var isEmpty: Bool { moved.isEmpty && added.isEmpty }

    var placed: Set<Int> { moved.union(added) }

    /// The list of a parent or of the store with these changes; `present` are the objects of the relationship.
    func applied(to stored: [Int]) -> [Int] {
        let members = Set(stored)
        return moving(stored.filter { !added.contains($0) } + added.filter(members.contains))
    }

    /// The list with the moved objects at their places.
    func moving(_ stored: [Int]) -> [Int] {
        let members = Set(stored)
        let moved = moved.intersection(list)
        var followers: [Int?: [Int]] = [:]
        var last: Int?
        for object in list where members.contains(object) {
            if moved.contains(object) { followers[last, default: []].append(object) } else { last = object }
        }
        return (followers[nil] ?? [])
            + stored.filter { !moved.contains($0) }.flatMap { [$0] + (followers[$0] ?? []) }
    }

    /// Adds an object at the end; `isMove` is whether the store has it in the list.
    mutating func append(_ object: Int, isMove: Bool) {
        list.removeAll { $0 == object }
        list.append(object)
        if isMove {
            moved.insert(object)
        } else {
            moved.remove(object)
            if !added.contains(object) { added.append(object) }
        }
    }

    /// Gives the list an order; `stored` is the list without moves.
    mutating func arrange(_ wanted: [Int], moving objects: Set<Int>, _ stored: [Int]) {
        // An object that is back at its stored place is not moved.
        let former = moved.intersection(wanted)
        let others = OracleOrder(list: wanted, moved: former.subtracting(objects)).moving(stored) == wanted
        moved = others ? former.subtracting(objects) : former.union(objects.intersection(wanted))
        list = moved.isEmpty ? [] : wanted
    }
}

extension OracleState {
    /// The items of a shelf in order: as the parent shows them, or by position, then by ID, with the unsaved order of the
    /// context on top.
    func row(_ shelf: Int) -> [Int] {
        let items = holders(of: shelf, ContextModel.place)
        let stored: [Int]
        if let above = rowsAbove.map({ $0[shelf] ?? [] }) {
            stored = above.filter(items.contains) + items.filter { !above.contains($0) }
        } else {
            stored = items.sorted { first, second in
                let texts = [first, second].map { Array((positions[Slot(shelf: shelf, item: $0)] ?? "").utf8) }
                return texts[0] == texts[1] ? first < second : texts[0].lexicographicallyPrecedes(texts[1])
            }
        }
        return orders?[shelf]?.applied(to: stored) ?? stored
    }

    var allRows: [Int: [Int]] {
        let shelves = rows.keys.filter { ContextModel.entity(of: $0) == ContextModel.shelf }
        return Dictionary(uniqueKeysWithValues: shelves.map { ($0, row($0)) })
    }

    /// The rows of all shelves with more than one item.
    var rowsInOrder: [Int: [Int]] { allRows.filter { $0.value.count > 1 } }
}

extension Oracle {
    private func registered(_ item: Int, _ state: OracleState) -> Int? {
        guard case .reference(let id)? = state.rows[item]?[ContextModel.place] else { return nil }
        return ContextModel.object(id)
    }

    /// An item goes from one row to another: to its end, or to where it is stored.
    mutating func followPlace(
        _ item: Int,
        from old: PropertyValue?,
        to new: PropertyValue,
        in index: Int,
        isMove: Bool = true
    ) {
        let before = shown(index)
        for case .reference(let id)? in [old, new] {
            recordOrder(of: ContextModel.object(id), moving: [item], before, in: index)
        }
        if case .reference(let id)? = old {
            contexts[index].delta.orders[ContextModel.object(id)]?.added.removeAll { $0 == item }
        }
        guard isMove, case .reference(let id) = new else { return }
        addToRow(ContextModel.object(id), item, before, in: index)
    }

    private mutating func addToRow(_ shelf: Int, _ item: Int, _ before: OracleState, in index: Int) {
        let isStored = registered(item, base(index)) == shelf && !contexts[index].delta.inserted.contains(shelf)
        var order = contexts[index].delta.orders[shelf] ?? OracleOrder()
        if isStored { order.list = before.row(shelf) }
        order.append(item, isMove: isStored)
        contexts[index].delta.orders[shelf] = order
    }

    /// A deleted item leaves its row; the order of a deleted shelf can come back.
    mutating func leaveRow(_ object: Int, in index: Int) {
        let state = shown(index)
        if ContextModel.entity(of: object) == ContextModel.shelf {
            recordOrder(of: object, moving: [], state, in: index)
        }
        guard let shelf = registered(object, state) else { return }
        recordOrder(of: shelf, moving: [object], state, in: index)
        contexts[index].delta.orders[shelf]?.added.removeAll { $0 == object }
    }

    /// An item that was deleted here comes back to the end of its row.
    mutating func returnToRow(_ item: Int, in index: Int) {
        guard let shelf = registered(item, shown(index)) else { return }
        contexts[index].delta.orders[shelf]?.added.removeAll { $0 == item }
        guard registered(item, base(index)) != shelf || contexts[index].delta.inserted.contains(shelf) else { return }
        contexts[index].delta.orders[shelf, default: OracleOrder()].added.append(item)
    }

    /// A program puts an item at a place of a row.
    mutating func arrange(_ shelf: Int, _ item: Int, at place: Int, in index: Int) {
        let former = shown(index)
        guard former.has(shelf), former.has(item) else { return }
        link(shelf, ContextModel.row, item, true, in: index)
        var list = shown(index).row(shelf)
        list.removeAll { $0 == item }
        list.insert(item, at: max(0, min(place, list.count)))
        if arrange(shelf, list, moving: [item], in: index) { contexts[index].delta.touched.insert(shelf) }
    }

    /// Returns whether the order was another one.
    @discardableResult
    mutating func arrange(_ shelf: Int, _ list: [Int], moving items: Set<Int>, in index: Int) -> Bool {
        let state = shown(index)
        guard state.row(shelf) != list else { return false }
        recordOrder(of: shelf, moving: items, state, in: index)
        var order = contexts[index].delta.orders[shelf] ?? OracleOrder()
        let unmoved = OracleOrder(added: order.added).applied(to: baseRow(shelf, state, index))
        order.arrange(list, moving: items, unmoved)
        contexts[index].delta.orders[shelf] = order
        return true
    }

    /// The row without the moves and additions of the context.
    private func baseRow(_ shelf: Int, _ state: OracleState, _ index: Int) -> [Int] {
        var state = state
        state.orders = [:]
        return state.row(shelf)
    }

    private mutating func recordOrder(of shelf: Int, moving items: Set<Int>, _ state: OracleState, in index: Int) {
        guard state.has(shelf) || contexts[index].delta.deleted.contains(shelf) else { return }
        let order = contexts[index].delta.orders[shelf] ?? OracleOrder()
        let saves = contexts[index].saves
        contexts[index].undo?.record(.order(shelf, before: order, shown: state.row(shelf)), moving: items, saves: saves)
    }

    /// Reverts the order of a row: until the next save to the context's former changes, and then to the shown list.
    mutating func revertOrder(
        _ shelf: Int,
        _ before: OracleOrder,
        _ list: [Int],
        moved items: Set<Int>,
        isUnsaved: Bool,
        in index: Int
    ) {
        let state = shown(index)
        guard state.has(shelf) else { return }
        guard isUnsaved else {
            let moved = contexts[index].delta.inserted.contains(shelf) ? Set(list) : items
            let restored = OracleOrder(list: list, moved: moved).moving(state.row(shelf))
            if arrange(shelf, restored, moving: moved, in: index) { contexts[index].delta.touched.insert(shelf) }
            return
        }
        let now = contexts[index].delta.orders[shelf] ?? OracleOrder()
        var order = before
        order.added = before.added.filter(now.added.contains) + now.added.filter { !before.added.contains($0) }
        guard order != now else { return }
        recordOrder(of: shelf, moving: items, state, in: index)
        contexts[index].delta.orders[shelf] = order
        contexts[index].delta.touched.insert(shelf)
    }

    /// Forgets moves after which the row is as it was stored.
    mutating func forgetOrder(_ shelf: Int, in index: Int) {
        guard let order = contexts[index].delta.orders[shelf] else { return }
        let state = shown(index)
        guard order.added.isEmpty, state.row(shelf) == base(index).row(shelf) else { return }
        contexts[index].delta.orders[shelf] = nil
    }

    /// A child gives its rows to its parent: added items come last, and the moves are applied to the parent's row.
    mutating func hand(_ orders: [Int: OracleOrder], _ rows: [Int: [Int]], to parent: Int) {
        for (shelf, order) in orders where !order.isEmpty && shown(parent).has(shelf) {
            let list = rows[shelf] ?? []
            if var own = contexts[parent].delta.orders[shelf] {
                let again = order.added.filter { own.added.contains($0) && !own.moved.contains($0) }
                own.added = own.added.filter { !again.contains($0) } + again
                contexts[parent].delta.orders[shelf] = own
            }
            let moved = order.moved.intersection(list)
            let wanted = OracleOrder(list: list, moved: moved).moving(shown(parent).row(shelf))
            if arrange(shelf, wanted, moving: moved, in: parent) { contexts[parent].delta.touched.insert(shelf) }
        }
    }

    /// Takes the positions that a transaction has written; returns what is wrong with them.
    mutating func takePositions(_ changes: [Change]) -> String? {
        let last = committed.count - 1
        let open = openRows
        openRows = []
        let wanted = committed[last].rowsInOrder.filter { !open.contains($0.key) }
        committed[last].orders = nil
        for change in changes {
            guard case .link(to: "row", let ids, let positions?) = change.operation else { continue }
            let shelf = ContextModel.object(change.id)
            for (id, position) in zip(ids, positions) {
                committed[last].positions[Slot(shelf: shelf, item: ContextModel.object(id))] = position
                // A place is written with the reference of the item.
                committed[last].revisions[ContextModel.object(id)] = last
            }
        }
        let found = committed[last].rowsInOrder.filter { !open.contains($0.key) }
        return wanted == found ? nil : "the orders are \(found), and should be \(wanted)"
    }
}
