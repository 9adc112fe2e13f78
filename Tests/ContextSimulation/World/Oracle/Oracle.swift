import TributaryChanges

/// What the contexts on one store must show, and what their saves must write.
///
/// A context has a base, a committed state or the state of its parent, and a delta. It shows base + delta. A merge
/// changes the base and never the delta; a save applies the delta to the newest state.
struct Oracle {
    struct Context {
        /// The number of the committed state that the context shows; nil for the newest state.
        var generation: Int?
        var parent: Int?
        var delta = OracleDelta()
        /// Nil for a context that records nothing.
        var undo: OracleUndo?
        /// The last values of objects whose deletion was saved, and the amounts that were not saved.
        var graves: [Int: OracleDelta] = [:]
        /// Objects whose unsaved values were lost, because others have deleted the objects.
        var discarded: Set<Int> = []
        /// Those of them that the parent hears of with the next save.
        var lostEdits: Set<Int> = []
        /// The objects of the base when the context last moved.
        var seen: Set<Int> = []
        /// The number of saves, which decides what an undo of an earlier step does.
        var saves = 0
    }

    var committed = [OracleState()]
    var contexts: [Context]
    let rules: ContextModel.Rules
    /// The rows of the last save whose order this oracle does not know.
    var openRows: Set<Int> = []
    /// Objects that any context has ever inserted.
    private var known: Set<Int> = []
    /// Objects that any context has ever deleted.
    private var ended: Set<Int> = []

    init(rules: ContextModel.Rules, recordsSteps: Bool) {
        self.rules = rules
        contexts = ContextPlace.all.map { place in
            Context(
                generation: place.isFixed ? 0 : nil,
                parent: place.parent,
                undo: place.hasUndo && recordsSteps ? OracleUndo() : nil
            )
        }
    }

    var newest: OracleState { committed[committed.count - 1] }

    // MARK: Reading

    func base(_ index: Int) -> OracleState {
        if let parent = contexts[index].parent {
            var state = contexts[parent].delta.applied(to: base(parent))
            state.pairs = state.pairs.filter { state.has($0.item) && state.has($0.tag) }
            return state
        }
        return stored(index).visible
    }

    /// The state of the store that a context shows, also with what refers to objects that are gone.
    private func stored(_ index: Int) -> OracleState { contexts[index].generation.map { committed[$0] } ?? newest }

    func shown(_ index: Int) -> OracleState {
        let base = base(index)
        let delta = contexts[index].delta
        var state = delta.applied(to: base)
        // Deny leaves references alone until the save.
        for object in delta.deleted where base.has(object) {
            state.lingering.formUnion(lists(of: object).filter { ["deny", "none"].contains(rule($0)) })
        }
        return state
    }

    private func rule(_ cell: Cell) -> String {
        ContextModel.rule(ContextModel.entity(of: cell.object), cell.property, rules)
    }

    /// The to-many relationships of an object.
    private func lists(of object: Int) -> [Cell] {
        ContextModel.properties(object).indices.compactMap { index in
            switch ContextModel.properties(object)[index].kind {
            case .toMany, .pairs: Cell(object: object, property: index)
            case .attribute, .toOne, .claim, .owner: nil
            }
        }
    }

    // MARK: Moving

    /// A context begins with the newest state or with its parent's; changes to objects that are gone are dropped.
    mutating func begin(_ index: Int) {
        if let parent = contexts[index].parent { begin(parent) }
        rebase(index)
    }

    private mutating func rebase(_ index: Int) {
        let base = base(index)
        let delta = contexts[index].delta
        for object in delta.objects where !base.has(object) && !delta.inserted.contains(object) {
            let isLost = delta.touched.contains(object) && !delta.deleted.contains(object)
            if isLost, delta.isChanged(object) {
                contexts[index].discarded.insert(object)
                contexts[index].lostEdits.insert(object)
            }
            contexts[index].delta.forget(object)
            if isLost { contexts[index].delta.lost.insert(object) }
        }
        // Others have inserted an object with the same ID: what was set here are changes of that object.
        let known = delta.inserted.filter(base.has)
        contexts[index].delta.inserted.subtract(known)
        contexts[index].delta.forgetTouched(known)
        // The moves in the row of a shelf that is gone are forgotten with it.
        for (shelf, order) in delta.orders where !base.has(shelf) && !delta.inserted.contains(shelf) {
            contexts[index].delta.orders[shelf] = OracleOrder(added: order.added)
        }
        // Others have taken out what the context puts in.
        for (cell, value) in delta.registers.sorted(by: { $0.key.object < $1.key.object }) {
            guard cell.property == ContextModel.place, ContextModel.entity(of: cell.object) == ContextModel.item,
                case .reference(let id) = contexts[index].delta.registers[cell], base.has(cell.object),
                base.value(cell) != value
            else { continue }
            contexts[index].delta.addToRow(ContextModel.object(id), cell.object)
        }
        forgetGone(index, former: contexts[index].seen, base)
        contexts[index].seen = Set(base.rows.keys)
    }

    /// A merged deletion of an object removes every step about it from the undo stack.
    private mutating func forgetGone(_ index: Int, former: Set<Int>, _ base: OracleState) {
        let gone = former.filter { !base.has($0) && !contexts[index].delta.inserted.contains($0) }
        guard !gone.isEmpty else { return }
        contexts[index].undo?.forget(gone)
        for shelf in contexts[index].delta.orders.keys { contexts[index].delta.orders[shelf]?.moved.subtract(gone) }
        let touched = contexts[index].delta.touched
        contexts[index].delta.forgetTouched(touched)
    }

    /// Ends what one undo reverts.
    mutating func end(_ index: Int) {
        contexts[index].undo?.endStep()
        if let parent = contexts[index].parent { end(parent) }
    }

    mutating func moveToNewest(_ index: Int) {
        guard contexts[index].generation != nil else { return }
        contexts[index].generation = committed.count - 1
        rebase(index)
    }

    mutating func pin(_ index: Int) {
        contexts[index].generation = committed.count - 1
        rebase(index)
    }

    mutating func unpin(_ index: Int) {
        contexts[index].generation = nil
        rebase(index)
    }

    // MARK: Changing

    mutating func insert(_ object: Int, in index: Int) {
        guard canInsert(object, in: index) else { return }
        known.insert(object)
        readTotals(object, in: index)
        contexts[index].delta.inserted.insert(object)
        record(.inserted(object), in: index)
    }

    /// A new object shows the totals that the ID had at its insertion until it is saved.
    private mutating func readTotals(_ object: Int, in index: Int) {
        let base = base(index)
        for (property, described) in ContextModel.properties(object).enumerated() {
            guard case .attribute(.counter, let start) = described.kind else { continue }
            let cell = Cell(object: object, property: property)
            contexts[index].delta.totals[cell] = base.totals[cell] ?? start.zero
        }
    }

    /// Whether a program can insert the object: its number is new.
    func isNew(_ object: Int) -> Bool { !known.contains(object) }

    /// Whether a step can insert the object: the context does not know the ID, and nobody has deleted its object.
    func canInsert(_ object: Int, in index: Int) -> Bool {
        if isNew(object) { return true }
        let isOfChild = contexts.contains { $0.parent != nil && $0.delta.inserted.contains(object) }
        return contexts[index].parent == nil && !isOfChild && !ended.contains(object) && !shown(index).has(object)
    }

    mutating func set(_ cell: Cell, _ value: PropertyValue, in index: Int) {
        let state = shown(index)
        guard state.has(cell.object) else { return }
        let property = ContextModel.properties(cell.object)[cell.property]
        switch property.kind {
        case .attribute(.counter, _):
            add(value.subtracting(state.value(cell)), to: cell, in: index)
        case .attribute:
            // Assigning the value that is shown changes nothing, except that an insert contains what was set.
            guard state.value(cell) != value || contexts[index].delta.inserted.contains(cell.object) else { return }
            setEntry(cell, value, in: index)
        case .toOne:
            guard contexts[index].delta.registers[cell] ?? base(index).value(cell) != value else { return }
            setEntry(cell, value, in: index)
        case .claim:
            guard contexts[index].delta.registers[cell] ?? base(index).value(cell) != value else { return }
            if case .reference(let id) = value { release(ContextModel.object(id), cell.property, in: index) }
            setEntry(cell, value, in: index)
        case .owner(_, let claim):
            guard state.value(cell) != value else { return }
            release(cell.object, claim, in: index)
            guard case .reference(let id) = value else { return }
            let (other, target) = (Cell(object: ContextModel.object(id), property: claim), ContextModel.id(cell.object))
            // The object may have had the target all along, below a claim of this context.
            guard contexts[index].delta.registers[other] ?? base(index).value(other) != .reference(target) else {
                return
            }
            setEntry(other, .reference(target), in: index)
        case .toMany, .pairs: break
        }
    }

    /// Takes a target from its owner.
    private mutating func release(_ target: Int, _ claim: Int, in index: Int) {
        guard let owner = shown(index).owner(of: target, claim) else { return }
        setEntry(Cell(object: owner, property: claim), .null, in: index)
    }

    mutating func add(_ amount: PropertyValue, to cell: Cell, in index: Int) {
        guard shown(index).has(cell.object), !amount.isZero else { return }
        record(.amount(cell, amount), in: index)
        contexts[index].delta.touched.insert(cell.object)
        contexts[index].delta.add(amount, to: cell)
    }

    mutating func setName(_ name: String, in index: Int) { contexts[index].undo?.setName(name) }

    mutating func beginGroup(_ index: Int) { contexts[index].undo?.beginGroup() }

    mutating func endGroup(_ index: Int) { contexts[index].undo?.endGroup() }

    private mutating func record(_ record: OracleRecord, in index: Int) {
        let saves = contexts[index].saves
        contexts[index].undo?.record(record, saves: saves)
    }

    /// `isMove` is whether an item that goes to a row goes to its end.
    mutating func setEntry(_ cell: Cell, _ value: PropertyValue?, in index: Int, isMove: Bool = true) {
        let before = contexts[index].delta.registers[cell]
        guard before != value else { return }
        if cell.property == ContextModel.place, ContextModel.entity(of: cell.object) == ContextModel.item {
            let base = base(index)
            let stored = base.has(cell.object) ? base.value(cell) : .null
            let (old, new) = (before ?? stored, value ?? stored)
            if old != new { followPlace(cell.object, from: old, to: new, in: index, isMove: isMove) }
            if value == nil, old == new { contexts[index].delta.leaveRows(cell.object) }
        }
        record(.register(cell, before: before, shown: shown(index).value(cell)), in: index)
        contexts[index].delta.registers[cell] = value
        contexts[index].delta.touched.insert(cell.object)
    }

    mutating func setEntry(_ pair: Pair, _ value: Bool?, in index: Int) {
        let before = contexts[index].delta.pairs[pair]
        guard before != value else { return }
        record(.pair(pair, before: before, shown: shown(index).pairs.contains(pair)), in: index)
        contexts[index].delta.pairs[pair] = value
        contexts[index].delta.touched.formUnion([pair.item, pair.tag])
    }

    mutating func link(_ object: Int, _ property: Int, _ target: Int, _ isLinked: Bool, in index: Int) {
        let state = shown(index)
        guard state.has(object), state.has(target), state.members(object, property).contains(target) != isLinked
        else { return }
        switch ContextModel.properties(object)[property].kind {
        case .toMany(_, let inverse):
            let value = isLinked ? PropertyValue.reference(ContextModel.id(object)) : .null
            set(Cell(object: target, property: inverse), value, in: index)
        case .pairs:
            setPair(Oracle.pair(object, target), isLinked, in: index)
        case .attribute, .toOne, .claim, .owner: break
        }
    }

    mutating func setPair(_ pair: Pair, _ isLinked: Bool, in index: Int) {
        setEntry(pair, base(index).pairs.contains(pair) == isLinked ? nil : isLinked, in: index)
    }

    /// An undone insertion follows no delete rule.
    mutating func delete(_ object: Int, in index: Int, undoing isUndo: Bool = false) {
        let state = shown(index)
        guard state.has(object) else { return }
        ended.insert(object)
        let isNew = contexts[index].delta.inserted.contains(object)
        var cascade: [Int] = []
        for list in lists(of: object) {
            let members = Oracle.holders(list, state)
            // An object that was never saved leaves no reference behind under any rule. A foreign writer has no rules.
            let rule = ContextPlace.all[index].isForeign ? "none" : rule(list)
            for member in members {
                if isNew || rule == "nullify" {
                    unlink(member, from: list, in: index)
                } else if case .pairs = ContextModel.properties(object)[list.property].kind {
                    // The deletion removes the pair, and its undo restores it.
                    let pair = Oracle.pair(object, member)
                    record(.pair(pair, before: contexts[index].delta.pairs[pair], shown: true), in: index)
                }
            }
            if rule == "cascade", !(isNew && isUndo) { cascade += members }
        }
        if isNew || !ContextPlace.all[index].isForeign, let bearer = ContextModel.property(object, "bearer") {
            set(Cell(object: object, property: bearer), .null, in: index)
        }
        leaveRow(object, in: index)
        let delta = contexts[index].delta
        record(.deleted(object, changes: isNew ? delta.only(object) : nil), in: index)
        if isNew { contexts[index].delta.forget(object) } else { contexts[index].delta.deleted.insert(object) }
        for member in cascade { delete(member, in: index) }
    }

    private mutating func unlink(_ member: Int, from list: Cell, in index: Int) {
        switch ContextModel.properties(list.object)[list.property].kind {
        case .toMany(_, let inverse): set(Cell(object: member, property: inverse), .null, in: index)
        case .pairs: setPair(Oracle.pair(list.object, member), false, in: index)
        case .attribute, .toOne, .claim, .owner: break
        }
    }

    static func pair(_ object: Int, _ other: Int) -> Pair {
        ContextModel.entity(of: object) == ContextModel.item
            ? Pair(item: object, tag: other) : Pair(item: other, tag: object)
    }

    /// The live objects at the other end of a to-many relationship, also of a deleted object.
    static func holders(_ list: Cell, _ state: OracleState) -> [Int] {
        switch ContextModel.properties(list.object)[list.property].kind {
        case .toMany(_, let inverse): state.holders(of: list.object, inverse)
        case .pairs:
            state.pairs.filter { $0.has(list.object) }.map { $0.item == list.object ? $0.tag : $0.item }
                .filter(state.has).sorted()
        case .attribute, .toOne, .claim, .owner: []
        }
    }

    /// Undoes a deletion: an object that was never saved is inserted again with its changes, one whose deletion was
    /// saved with all its values, and another one shows base + delta.
    mutating func restore(_ object: Int, _ changes: OracleDelta?, in index: Int) {
        let isSaved = contexts[index].delta.deleted.remove(object) == nil
        if isSaved {
            guard !shown(index).has(object) else { return }
            if changes == nil {
                setLeftReferences(to: object, in: index)
                readTotals(object, in: index)
            }
            contexts[index].delta.inserted.insert(object)
            if let changes {
                contexts[index].delta.registers.merge(changes.registers) { $1 }
                contexts[index].delta.amounts.merge(changes.amounts) { $1 }
            } else {
                let grave = contexts[index].graves[object] ?? OracleDelta()
                contexts[index].delta.registers.merge(grave.registers) { $1 }
                contexts[index].delta.amounts.merge(grave.amounts) { $1 }
            }
        }
        returnToRow(object, in: index)
        record(isSaved ? .inserted(object) : .restored(object), in: index)
    }

    /// The references that No Action has left to a deleted object.
    private mutating func setLeftReferences(to object: Int, in index: Int) {
        let reference = PropertyValue.reference(ContextModel.id(object))
        let base = contexts[index].parent == nil ? stored(index) : base(index)
        for list in lists(of: object) {
            guard case .toMany(_, let inverse) = ContextModel.properties(object)[list.property].kind else { continue }
            for holder in base.holders(of: object, inverse) where shown(index).has(holder) {
                let cell = Cell(object: holder, property: inverse)
                if contexts[index].delta.registers[cell] == nil { setEntry(cell, reference, in: index) }
            }
        }
    }

    mutating func forgetDiscarded(_ index: Int) { contexts[index].discarded = [] }

    mutating func rollback(_ index: Int) {
        contexts[index].delta = OracleDelta()
        contexts[index].lostEdits = []
        forgetSteps(index)
    }

    /// A new process has no unsaved changes, and nothing to tell.
    mutating func restart(_ index: Int) { contexts[index] = Context() }

    mutating func forgetSteps(_ index: Int) {
        if contexts[index].undo != nil { contexts[index].undo = OracleUndo() }
    }

    /// Drops the unsaved changes of one object; an object that was never saved stays as it is.
    mutating func dropChanges(_ object: Int, in index: Int) {
        guard !contexts[index].delta.inserted.contains(object) else { return }
        contexts[index].delta.forget(object)
    }

    // MARK: Saving

    enum SaveOutcome: Hashable, Sendable, Codable {
        /// There was nothing to write.
        case nothing
        /// The changes of the transaction, one line each, sorted.
        case written([String])
        /// A child's changes went to its parent.
        case absorbed
        case denied
        case conflict([String])
        /// A new object has the ID of a stored one.
        case taken
    }

    mutating func save(_ index: Int, policy: String) -> SaveOutcome {
        let delta = contexts[index].delta
        guard !delta.isEmpty || (policy == "error" && !delta.lost.isEmpty) else {
            // A save of objects whose changes were taken back or are lost is a save as well.
            if !delta.touched.isEmpty || !delta.lost.isEmpty { contexts[index].saves += 1 }
            contexts[index].delta = OracleDelta()
            tellLost(index)
            return .nothing
        }
        let base = base(index)
        if isDenied(delta, in: base, own: delta) { return .denied }
        if contexts[index].parent != nil, policy == "error" {
            // The parent has deleted what the child has changed, or refers to.
            let targets = delta.registers.compactMap { cell, value -> Int? in
                guard !delta.deleted.contains(cell.object), case .reference(let id) = value else { return nil }
                return ContextModel.object(id)
            }
            let lost = delta.lost.union(targets.filter { !base.has($0) && !delta.inserted.contains($0) })
            if !lost.isEmpty { return .conflict(lost.sorted().map(ContextModel.name)) }
        }
        var write = OracleWrite(delta, base: base, newest: newest)
        var replaced: Set<Int> = []
        if contexts[index].parent == nil {
            var keys = OracleKeys(policy: policy, newest: newest)
            let conflicts = policy == "error" ? delta.lost.union(write.conflicts).sorted().map(ContextModel.name) : []
            let lost = delta.objects.filter { object in
                !delta.inserted.contains(object) && !delta.deleted.contains(object) && delta.isChanged(object)
                    && !newest.has(object)
            }
            write.resolve(policy)
            keys.settle(&write)
            let all = conflicts + keys.conflicts.sorted()
            if !all.isEmpty { return .conflict(all) }
            if !ContextFeatures.lacks(.underLock) {
                followDeleteRules(&write)
                if isDenied(write.delta, in: newest, own: delta) { return .denied }
            }
            if !write.delta.inserted.isDisjoint(with: newest.rows.keys) { return .taken }
            contexts[index].discarded.formUnion(lost)
            replaced = Set(keys.replacements.keys)
        }
        let shown = shown(index)
        let rows = delta.orders.keys.reduce(into: [Int: [Int]]()) { $0[$1] = shown.row($1) }
        for object in delta.deleted { keepDeleted(object, in: index, shown) }
        contexts[index].delta = OracleDelta()
        contexts[index].seen.subtract(write.delta.deleted)
        contexts[index].undo?.forget(write.delta.deleted.subtracting(delta.deleted).union(replaced))
        contexts[index].saves += 1
        ended.formUnion(write.delta.deleted)
        if let parent = contexts[index].parent {
            tellLost(index)
            hand(delta, rows, to: parent)
            return .absorbed
        }
        let state = write.apply(committed.count)
        // A save without a change to write leaves the store as it is.
        if write.lines.isEmpty {
            moveToNewest(index)
            return .nothing
        }
        committed.append(state)
        openRows = write.delta.openRows
        moveToNewest(index)
        return .written(write.lines)
    }

    /// A batch names all red items, and adds to their stock; returns its changes.
    mutating func batch(name: PropertyValue, amount: PropertyValue) -> [String] {
        var delta = OracleDelta()
        for object in newest.rows.keys where ContextModel.entity(of: object) == ContextModel.item {
            guard newest.value(Cell(object: object, property: ContextModel.colour)) == .string("red") else { continue }
            // A batch writes what is another value.
            let cell = Cell(object: object, property: ContextModel.itemName)
            if newest.value(cell) != name { delta.registers[cell] = name }
            delta.add(amount, to: Cell(object: object, property: ContextModel.stock))
        }
        var write = OracleWrite(delta, base: newest, newest: newest)
        let state = write.apply(committed.count)
        if !write.lines.isEmpty { committed.append(state) }
        return write.lines
    }

    /// A batch deletes the unnamed objects of an entity; returns its changes, or nil when a rule forbids one of them.
    mutating func deleteBatch(_ entity: Int) -> [String]? {
        var delta = OracleDelta()
        delta.deleted = Set(
            newest.rows.keys.filter { object in
                guard ContextModel.entity(of: object) == entity,
                    let name = ContextModel.property(object, "name")
                else { return false }
                return newest.value(Cell(object: object, property: name)) == .null
            }
        )
        return commitBatch(delta)
    }

    /// Follows the delete rules, and returns the changes, or nil when a rule forbids the batch.
    mutating func commitBatch(_ delta: OracleDelta) -> [String]? {
        var write = OracleWrite(delta, base: newest, newest: newest)
        followDeleteRules(&write)
        // Batches do not check numbers of objects.
        guard !isRefused(write.delta, in: newest, write.delta.applied(to: newest), own: write.delta) else { return nil }
        known.formUnion(delta.inserted)
        ended.formUnion(write.delta.deleted)
        let state = write.apply(committed.count)
        if !write.lines.isEmpty { committed.append(state) }
        return write.lines
    }

    /// Commits the transaction of a foreign writer, which follows no rules, and returns its changes.
    mutating func importChanges(_ index: Int) -> OracleDelta {
        var delta = contexts[index].delta
        contexts[index].delta = OracleDelta()
        // A foreign writer gives no positions.
        delta.orders = [:]
        var write = OracleWrite(delta, base: newest, newest: newest)
        let state = write.apply(committed.count)
        if !write.lines.isEmpty { committed.append(state) }
        return delta
    }

    private mutating func keepDeleted(_ object: Int, in index: Int, _ shown: OracleState) {
        var state = base(index)
        var delta = contexts[index].delta
        delta.deleted = []
        state = delta.applied(to: state)
        guard state.has(object) else { return }
        var grave = OracleDelta()
        grave.amounts = delta.only(object).amounts
        for (property, described) in ContextModel.properties(object).enumerated() {
            switch described.kind {
            case .attribute(.counter, _), .toMany, .pairs, .owner: continue
            case .attribute, .toOne, .claim:
                // The target may be deleted with the object, and come back with it.
                let cell = Cell(object: object, property: property)
                let register = state.rows[object]?[property] ?? .null
                if case .reference = register {
                    grave.registers[cell] = register
                } else {
                    grave.registers[cell] = state.value(cell)
                }
            }
        }
        contexts[index].graves[object] = grave
    }

    /// Whether a rule stands against the save: a Deny, for an object that is still there, or a mandatory reference that
    /// the save would write without a target.
    private func isRefused(_ delta: OracleDelta, in base: OracleState, _ state: OracleState, own: OracleDelta) -> Bool {
        let isHeld = delta.deleted.contains { object in
            base.has(object)
                && lists(of: object).contains { rule($0) == "deny" && !Oracle.holders($0, state).isEmpty }
        }
        guard !isHeld, rules.isMakerMandatory else { return isHeld }
        return state.rows.keys.contains { object in
            guard ContextModel.entity(of: object) == ContextModel.item else { return false }
            let cell = Cell(object: object, property: ContextModel.maker)
            // The policy `overwrite` writes what was there before: an import is not validated.
            let wasEmpty =
                delta.registers[cell] == .null && own.registers[cell] == nil && base.has(object)
                && base.value(cell) == .null
            return !wasEmpty
                && (delta.inserted.contains(object) || delta.registers[cell] != nil) && state.value(cell) == .null
        }
    }

    /// `own` are the changes of the context, without what its policy and the rules add.
    private func isDenied(_ delta: OracleDelta, in base: OracleState, own: OracleDelta) -> Bool {
        let state = delta.applied(to: base)
        return isRefused(delta, in: base, state, own: own) || hasTooFew(delta, in: base, state)
    }

    /// Whether a tag whose items the save changes has some items, and fewer than it must have.
    private func hasTooFew(_ delta: OracleDelta, in base: OracleState, _ state: OracleState) -> Bool {
        guard rules.leastTagged > 0 else { return false }
        let pairs = Set(delta.pairs.keys).union(base.pairs.filter { delta.deleted.contains($0.item) })
        return Set(pairs.map(\.tag)).contains { tag in
            // Of a new tag whose ID is taken, the save refuses the ID.
            let isTaken = base.has(tag) && delta.inserted.contains(tag)
            return !isTaken && state.has(tag)
                && 1..<rules.leastTagged ~= state.members(tag, ContextModel.tagged).count
        }
    }

    /// Follows the delete rules on the newest state: others may have linked objects to a deleted one.
    private func followDeleteRules(_ write: inout OracleWrite) {
        var rest = write.delta.deleted.sorted()
        while let object = rest.popLast() {
            for list in lists(of: object) {
                let members = Oracle.holders(list, write.delta.applied(to: newest))
                switch (rule(list), ContextModel.properties(object)[list.property].kind) {
                case ("cascade", _):
                    for member in members where write.delta.deleted.insert(member).inserted { rest.append(member) }
                case ("nullify", .toMany(_, let inverse)):
                    for member in members { write.delta.registers[Cell(object: member, property: inverse)] = .null }
                default: break
                }
            }
            guard let bearer = ContextModel.property(object, "bearer"),
                case .owner(_, let claim) = ContextModel.properties(object)[bearer].kind
            else { continue }
            // Only the shown owner loses the target; a hidden claim stays.
            let shown = newest.owner(of: object, claim).map { Cell(object: $0, property: claim) }
            if let shown, write.delta.registers[shown] != nil { continue }
            if let owner = write.delta.applied(to: newest).owner(of: object, claim) {
                write.delta.registers[Cell(object: owner, property: claim)] = .null
            }
        }
    }

    /// The parent lists the changes that a child has lost, when the child saves.
    private mutating func tellLost(_ index: Int) {
        if let parent = contexts[index].parent { contexts[parent].discarded.formUnion(contexts[index].lostEdits) }
        contexts[index].lostEdits = []
    }

    private mutating func hand(_ delta: OracleDelta, _ rows: [Int: [Int]], to parent: Int) {
        for object in delta.order where delta.inserted.contains(object) {
            contexts[parent].delta.inserted.insert(object)
            record(.inserted(object), in: parent)
        }
        // A claim that is given up goes before the claim that takes it.
        for (cell, value) in delta.registers.sorted(by: { $0.value == .null && $1.value != .null }) {
            if !delta.deleted.contains(cell.object) { set(cell, value, in: parent) }
        }
        for (cell, amount) in delta.amounts where !delta.deleted.contains(cell.object) {
            add(amount, to: cell, in: parent)
        }
        for (pair, isLinked) in delta.pairs {
            let state = shown(parent)
            if state.has(pair.item), state.has(pair.tag), state.pairs.contains(pair) != isLinked {
                setPair(pair, isLinked, in: parent)
            }
        }
        hand(delta.orders, rows, to: parent)
        for object in delta.deleted.sorted() { delete(object, in: parent) }
    }
}

/// A save: the delta, the base that the context has read, and the newest state.
struct OracleWrite {
    var delta: OracleDelta
    private let base: OracleState
    private let newest: OracleState
    /// The written changes, one line each, sorted.
    private(set) var lines: [String] = []

    init(_ delta: OracleDelta, base: OracleState, newest: OracleState) {
        (self.delta, self.base, self.newest) = (delta, base, newest)
    }

    /// Objects that the context has changed or deleted, and that another transaction has written since.
    var conflicts: [Int] {
        delta.objects.filter { object in
            if delta.inserted.contains(object) { return false }
            let isMoved = isWritten(object) || isLinked(object)
            if delta.deleted.contains(object) { return newest.has(object) && isMoved }
            return delta.isChanged(object) && (!newest.has(object) || isMoved)
        }.sorted()
    }

    private func isWritten(_ object: Int) -> Bool { newest.revisions[object] != base.revisions[object] }

    /// Whether others have linked further objects to the object since.
    private func isLinked(_ object: Int) -> Bool {
        guard !ContextFeatures.lacks(.underLock) else { return false }
        return ContextModel.properties(object).indices.contains { property in
            !Set(newest.members(object, property)).isSubset(of: base.members(object, property))
        }
    }

    mutating func resolve(_ policy: String) {
        // Others have taken out what the context has set to its stored row: without a move it comes last.
        let returning = delta.registers.filter { cell, value in
            cell.property == ContextModel.place && ContextModel.entity(of: cell.object) == ContextModel.item
                && base.value(cell) == value && newest.value(cell) != value
        }
        defer {
            for (cell, value) in returning.sorted(by: { $0.key.object < $1.key.object }) {
                guard case .reference(let id) = value, delta.registers[cell] != nil else { continue }
                let shelf = ContextModel.object(id)
                if delta.orders[shelf]?.moved.contains(cell.object) != true { delta.addToRow(shelf, cell.object) }
            }
        }
        for object in conflicts where newest.has(object) {
            let place = Cell(object: object, property: ContextModel.place)
            let isItem = ContextModel.entity(of: object) == ContextModel.item
            let isPlaced = isItem && delta.registers[place] != nil
            defer { if isPlaced, delta.registers[place] == nil { delta.stayInRows(object) } }
            if delta.deleted.contains(object) {
                if policy == "storeTrump" || policy == "rollback" { delta.forget(object) }
                continue
            }
            switch policy {
            case "rollback": delta.forget(object)
            case "storeTrump":
                for cell in delta.registers.keys where cell.object == object && base.value(cell) != newest.value(cell) {
                    delta.registers[cell] = nil
                }
            case "overwrite" where isWritten(object):
                let shown = delta.applied(to: base)
                let properties = ContextModel.properties(object)
                for (index, property) in properties.enumerated() {
                    let cell = Cell(object: object, property: index)
                    switch property.kind {
                    case .attribute(.counter, _), .toMany, .pairs, .owner: break
                    case .attribute, .toOne, .claim:
                        guard delta.registers[cell] == nil else { continue }
                        let value = shown.value(cell)
                        delta.registers[cell] = value
                        guard index == ContextModel.place, ContextModel.entity(of: object) == ContextModel.item,
                            case .reference(let id) = value, newest.value(cell) != value
                        else { continue }
                        delta.openRows.insert(ContextModel.object(id))
                    }
                }
            default: break
            }
        }
        for object in delta.objects where !newest.has(object) && !delta.inserted.contains(object) {
            if delta.isChanged(object) || delta.deleted.contains(object) { delta.forget(object) }
        }
    }

    /// Returns the state after the transaction of the number.
    mutating func apply(_ number: Int) -> OracleState {
        var state = delta.applied(to: newest, number: number)
        var writes: [Int: [String]] = [:]
        for (cell, value) in delta.registers where !delta.deleted.contains(cell.object) {
            writes[cell.object, default: []].append("\(name(cell))=\(ContextModel.text(value))")
        }
        for (cell, amount) in delta.amounts where !delta.deleted.contains(cell.object) {
            writes[cell.object, default: []].append("\(name(cell))+=\(ContextModel.text(amount))")
        }
        for object in delta.inserted.subtracting(delta.deleted) where writes[object] == nil { writes[object] = [] }
        for (object, words) in writes {
            let verb = delta.inserted.contains(object) ? "insert" : "update"
            lines.append(([verb, ContextModel.name(object)] + words.sorted()).joined(separator: " "))
            state.revisions[object] = number
        }
        for (pair, isLinked) in delta.pairs where !delta.deleted.contains(where: pair.has) {
            let verb = isLinked ? "link" : "unlink"
            lines.append("\(verb) \(ContextModel.name(pair.item)) tags \(ContextModel.name(pair.tag))")
        }
        for (shelf, order) in delta.orders
        where (base.has(shelf) || delta.inserted.contains(shelf)) && !delta.deleted.contains(shelf)
            && !order.placed.isDisjoint(with: state.row(shelf))
        {
            lines.append("arrange \(ContextModel.name(shelf))")
        }
        for object in delta.deleted {
            lines.append("delete \(ContextModel.name(object))")
            state.revisions[object] = number
        }
        // A reference that shows another object is a change, also when its target has come or gone.
        for object in newest.rows.keys where state.has(object) {
            for (index, property) in ContextModel.properties(object).enumerated() {
                switch property.kind {
                case .attribute, .toMany, .pairs: continue
                case .toOne, .claim, .owner:
                    let cell = Cell(object: object, property: index)
                    if newest.value(cell) != state.value(cell) { state.revisions[object] = number }
                }
            }
        }
        lines.sort()
        return state
    }

    private func name(_ cell: Cell) -> String {
        ContextModel.properties(cell.object)[cell.property].name
    }
}
