import TributaryChanges

/// What a step has changed of a context's delta.
///
/// Until the next save an undo gives the delta its former entry again. After a save the change is in the base, so an
/// undo makes another change, to what the context showed before the step.
enum OracleRecord {
    case register(Cell, before: PropertyValue?, shown: PropertyValue)
    case amount(Cell, PropertyValue)
    case pair(Pair, before: Bool?, shown: Bool)
    case inserted(Int)
    /// An unsaved deletion was undone.
    case restored(Int)
    /// The order of a row has changed; `shown` is the list before.
    case order(Int, before: OracleOrder, shown: [Int])
    /// `changes` is the delta of an object that was never saved.
    case deleted(Int, changes: OracleDelta?)

    var objects: [Int] {
        switch self {
        case .register(let cell, _, _), .amount(let cell, _): [cell.object]
        case .pair(let pair, _, _): [pair.item, pair.tag]
        case .inserted(let object), .restored(let object), .deleted(let object, _), .order(let object, _, _): [object]
        }
    }

    func concerns(_ gone: Set<Int>) -> Bool { objects.contains(where: gone.contains) }
}

struct OracleUndo {
    struct Group {
        var name = ""
        var records: [(record: OracleRecord, saves: Int)] = []
        /// The items that the group has moved in each row.
        var moved: [Int: Set<Int>] = [:]

        /// The steps without those about objects that others have deleted, and orders in which only such were moved.
        func without(_ gone: Set<Int>) -> Group {
            var group = self
            let unmoved = Set(moved.filter { !$0.value.isEmpty && $0.value.isSubset(of: gone) }.keys)
            group.records.removeAll { record, _ in
                if case .order(let shelf, _, _) = record, unmoved.contains(shelf) { return true }
                return record.concerns(gone)
            }
            group.moved = moved.filter { !unmoved.contains($0.key) && !gone.contains($0.key) }
                .mapValues { $0.subtracting(gone) }
            return group
        }
    }

    private(set) var undo: [Group] = []
    private(set) var redo: [Group] = []
    /// The records of the step that is running.
    private var open = Group()
    /// The number of groups that a program has begun, which only the program ends.
    private var level = 0
    private var isReverting = false

    /// A new change makes the undone changes invalid.
    mutating func record(_ record: OracleRecord, saves: Int) {
        if !isReverting { redo = [] }
        // Of several values of one property, the oldest is kept.
        if case .register(let cell, _, _) = record, case .register(cell, _, _)? = open.records.last?.record { return }
        open.records.append((record, saves))
    }

    /// Records an order before its first change in a group.
    mutating func record(_ record: OracleRecord, moving items: Set<Int>, saves: Int) {
        guard case .order(let shelf, _, _) = record else { return }
        if open.moved[shelf] == nil { self.record(record, saves: saves) }
        open.moved[shelf, default: []].formUnion(items)
    }

    /// Names the group of a step, or the last one when the step has changed nothing.
    mutating func setName(_ name: String) {
        if open.records.isEmpty, level == 0, !undo.isEmpty {
            undo[undo.count - 1].name = name
        } else {
            open.name = name
        }
    }

    /// The names of the groups that the next undo and redo revert.
    var names: [String] {
        open.records.isEmpty ? [undo.last?.name ?? "", redo.last?.name ?? ""] : [open.name, ""]
    }

    var canUndo: Bool { !undo.isEmpty || !open.records.isEmpty }

    /// Ends the group of a step.
    mutating func close() {
        defer { open = Group() }
        if !open.records.isEmpty { undo.append(open) }
    }

    mutating func endStep() { if level == 0 { close() } }

    mutating func beginGroup() {
        endStep()
        level += 1
    }

    mutating func endGroup() {
        guard level > 0 else { return }
        level -= 1
        endStep()
    }

    mutating func takeUndo() -> Group? {
        level = 0
        close()
        isReverting = true
        return undo.popLast()
    }

    mutating func takeRedo() -> Group? {
        guard level == 0 else { return nil }
        isReverting = true
        return redo.popLast()
    }

    /// Ends the group that reverts another.
    mutating func close(reverting group: Group?, undoing isUndo: Bool) {
        defer { (open, isReverting) = (isReverting ? Group() : open, false) }
        guard isReverting, let group, !open.records.isEmpty else { return }
        open.name = group.name
        if isUndo { redo.append(open) } else { undo.append(open) }
    }

    /// Removes the steps about objects that others have deleted.
    mutating func forget(_ objects: Set<Int>) {
        undo = undo.map { $0.without(objects) }.filter { !$0.records.isEmpty }
        redo = redo.map { $0.without(objects) }.filter { !$0.records.isEmpty }
        open = open.without(objects)
    }
}

extension Oracle {
    mutating func undo(_ index: Int) {
        let group = contexts[index].undo?.takeUndo()
        if let group { revert(group, in: index) }
        contexts[index].undo?.close(reverting: group, undoing: true)
    }

    mutating func undoAll(_ index: Int) { while contexts[index].undo?.canUndo == true { undo(index) } }

    mutating func redo(_ index: Int) {
        let group = contexts[index].undo?.takeRedo()
        if let group { revert(group, in: index) }
        contexts[index].undo?.close(reverting: group, undoing: false)
    }

    /// Whether the context shows the object, or has deleted it itself.
    private func isKnown(_ object: Int, in index: Int) -> Bool {
        shown(index).has(object) || contexts[index].delta.deleted.contains(object)
    }

    /// Takes a one-to-one target from the object that the context has given it to.
    private mutating func releaseOwn(_ target: Int, from cell: Cell, in index: Int) {
        guard cell.property == ContextModel.badge else { return }
        let state = shown(index)
        for (other, value) in contexts[index].delta.registers where other != cell && other.property == cell.property {
            guard value == .reference(ContextModel.id(target)), state.has(other.object) else { continue }
            setEntry(other, .null, in: index)
        }
    }

    /// Reverts the records, the last first; deleted objects come back before others refer to them, and inserted ones
    /// disappear last.
    private mutating func revert(_ group: OracleUndo.Group, in index: Int) {
        let records = group.records.reversed()
        for case (.deleted(let object, let changes), _) in records { restore(object, changes, in: index) }
        // A new object refers to nothing that has been deleted.
        for case (.deleted(let object, _), _) in group.records where contexts[index].delta.inserted.contains(object) {
            for (cell, value) in contexts[index].delta.registers where cell.object == object {
                guard case .reference(let id) = value, !isKnown(ContextModel.object(id), in: index) else { continue }
                setEntry(cell, .null, in: index)
            }
        }
        for (record, saves) in records {
            let isUnsaved = saves == contexts[index].saves
            switch record {
            case .register(let cell, let before, let shown):
                guard self.shown(index).has(cell.object) else { continue }
                var value = isUnsaved ? before : shown
                if let value, contexts[index].delta.registers[cell] == nil, self.shown(index).value(cell) == value,
                    !contexts[index].delta.inserted.contains(cell.object)
                {
                    continue
                }
                if case .reference(let id)? = value {
                    // A reference to an object that no longer exists is not set again.
                    let target = ContextModel.object(id)
                    guard isKnown(target, in: index) else { continue }
                    releaseOwn(target, from: cell, in: index)
                }
                // A value that an undo sets to the stored value is no change, and an item stays where it is stored.
                let base = base(index)
                if base.has(cell.object), base.value(cell) == value { value = nil }
                setEntry(cell, value, in: index, isMove: value != nil || !base.has(cell.object))
            case .amount(let cell, let amount):
                guard shown(index).has(cell.object) else { continue }
                add(amount.zero.subtracting(amount), to: cell, in: index)
            case .pair(let pair, let before, let shown):
                let state = self.shown(index)
                guard state.has(pair.item), state.has(pair.tag) else { continue }
                if isUnsaved {
                    setEntry(pair, before, in: index)
                } else if state.pairs.contains(pair) != shown {
                    setPair(pair, shown, in: index)
                }
            case .inserted, .restored, .deleted, .order: continue
            }
        }
        for (record, saves) in records {
            switch record {
            // Of an object that others have inserted as well, theirs stays.
            case .inserted(let object)
            where saves != contexts[index].saves || contexts[index].delta.inserted.contains(object):
                delete(object, in: index, undoing: true)
            case .restored(let object): delete(object, in: index, undoing: true)
            case .register, .amount, .pair, .inserted, .deleted, .order: continue
            }
        }
        for case (.order(let shelf, let before, let list), let saves) in records {
            let isUnsaved = saves == contexts[index].saves
            revertOrder(shelf, before, list, moved: group.moved[shelf] ?? [], isUnsaved: isUnsaved, in: index)
        }
        let base = base(index)
        for object in Set(records.flatMap(\.record.objects)) where base.has(object) {
            forgetOrder(object, in: index)
            contexts[index].delta.forgetTouched([object])
        }
    }
}
