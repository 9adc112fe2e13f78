import SimulationRunning
import TestSupport
import Tributary
import TributaryChanges
import TributaryModel

/// Plays the steps of a schedule on contexts, and compares what they show and save with the oracle.
struct ContextWorld {
    private let contexts: OpenContexts
    private var oracle: Oracle
    /// The number of the last transaction that was compared.
    private var sequence: UInt64 = 0
    /// The number of steps, which names the groups of the undo stacks.
    private var count = 0
    private var timer = OracleTimer()
    /// The files of the foreign writer; nil before its first transaction.
    private var files: ForeignFiles?
    /// Whether the program keeps the objects that it has seen.
    private let keepsObjects: Bool

    static func play(_ schedule: ContextSchedule) async throws {
        let contexts = try await OpenContexts(schedule)
        var world = ContextWorld(contexts, schedule)
        do {
            try await world.playSteps(schedule.steps)
        } catch {
            try? await contexts.close()
            throw error
        }
        try await contexts.close()
    }

    private init(_ contexts: OpenContexts, _ schedule: ContextSchedule) {
        self.contexts = contexts
        oracle = Oracle(rules: schedule.rules, recordsSteps: schedule.steps.contains(where: \.isUndo))
        keepsObjects = schedule.seed % 2 == 0
    }

    private mutating func playSteps(_ steps: [ContextStep]) async throws {
        for (index, step) in steps.enumerated() {
            do {
                try await perform(step)
                timer.follow(oracle)
                try await compare(step.context)
                // Each step has a query of its own, whatever other steps there are.
                let query = step.description.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
                if !ContextFeatures.lacks(.queries) {
                    try await fetch(step.context, query % 7 == 0 ? 100 + query : query % ContextQuery.all.count)
                }
            } catch {
                throw Divergence("step \(index), \(step):\n\(error)")
            }
        }
        for index in ContextPlace.all.indices {
            do {
                try await compare(index)
            } catch {
                throw Divergence("in the end:\n\(error)")
            }
        }
    }

    // MARK: Steps

    private mutating func perform(_ step: ContextStep) async throws {
        let index = step.context
        switch step {
        case .merge:
            if index == ContextPlace.view {
                await contexts.container.mergePendingChanges()
            } else if index == ContextPlace.pinned {
                try await contexts.perform(index) { context in
                    context.automaticallyMergesChangesFromParent = false
                    try context.pin()
                }
            }
            return index == ContextPlace.pinned ? oracle.pin(index) : oracle.moveToNewest(index)
        case .elapse(_, let milliseconds): return try await elapse(milliseconds)
        case .kill:
            guard index == ContextPlace.elsewhere, try await contexts.killElsewhere() else { return }
            return oracle.restart(index)
        case .unpin:
            guard index == ContextPlace.pinned else { return }
            try await contexts.perform(index) { context in
                context.automaticallyMergesChangesFromParent = true
                try context.unpin()
            }
            return oracle.unpin(index)
        case .save(_, let policy):
            if index == ContextPlace.foreign { return try await importChanges(throughBaseline: policy == "baseline") }
            return try await save(index, policy)
        case .batch(_, let value): return try await batch(step, value)
        case .deleteBatch(_, let entity):
            guard ContextModel.entities.indices.contains(entity) else { return }
            return try await runBatch(step) { $0.deleteBatch(entity) }
        case .insertBatch(_, let object, let value, let policy):
            let (rows, newest) = (BatchRows.of(object, value), oracle.newest)
            guard rows.allSatisfy({ oracle.isNew($0.object) || newest.has($0.object) }) else { return }
            return try await runBatch(step) { $0.insertBatch(rows, policy) }
        case .fetch(_, let number): return try await fetch(index, number)
        case .check: return
        case .checkpoint: return contexts.checkpoint()
        case .insert(_, let object):
            oracle.begin(index)
            guard oracle.canInsert(object, in: index) else { return }
        default: break
        }
        oracle.begin(index)
        count += 1
        let name = "\(count)"
        if index == ContextPlace.foreign {
            predict(step)
        } else {
            _ = try await contexts.ask(index, .run(step, name: name))
            predict(step)
        }
        if step.isEdit { oracle.setName(name, in: index) }
        oracle.end(index)
    }

    private mutating func predict(_ step: ContextStep) {
        let index = step.context
        switch step {
        case .insert(_, let object): oracle.insert(object, in: index)
        case .set(_, let object, let name, let number):
            guard let property = ContextModel.property(object, name) else { return }
            oracle.set(Cell(object: object, property: property), ContextWorld.value(name, number), in: index)
        case .add(_, let object, let name, let amount):
            guard let property = ContextModel.property(object, name) else { return }
            oracle.add(ContextWorld.value(name, amount), to: Cell(object: object, property: property), in: index)
        case .point(_, let object, let name, let target):
            guard let property = ContextModel.property(object, name) else { return }
            if let target, !oracle.shown(index).has(target) { return }
            let value = target.map { PropertyValue.reference(ContextModel.id($0)) } ?? .null
            let cell = Cell(object: object, property: property)
            let shown = oracle.shown(index)
            if shown.has(object), shown.value(cell) != value { oracle.set(cell, value, in: index) }
        case .link(_, let object, let name, let target):
            guard let property = ContextModel.property(object, name) else { return }
            oracle.link(object, property, target, true, in: index)
        case .unlink(_, let object, let name, let target):
            guard let property = ContextModel.property(object, name) else { return }
            oracle.link(object, property, target, false, in: index)
        case .arrange(_, let object, _, let target, let place): oracle.arrange(object, target, at: place, in: index)
        case .delete(_, let object): oracle.delete(object, in: index)
        case .refresh(_, let object, let keeps): if !keeps { oracle.dropChanges(object, in: index) }
        case .rollback: oracle.rollback(index)
        case .undo: oracle.undo(index)
        case .redo: oracle.redo(index)
        case .undoAll: oracle.undoAll(index)
        case .beginGroup: oracle.beginGroup(index)
        case .endGroup: oracle.endGroup(index)
        case .save, .batch, .deleteBatch, .insertBatch, .merge, .elapse, .kill, .unpin, .refreshAll, .check,
            .checkpoint, .fetch:
            break
        }
    }

    /// The value that a step sets a property to.
    static func value(_ property: String, _ number: Int) -> PropertyValue {
        switch property {
        case "stock": .integer(Int64(number))
        case "weight": .double(Double(number) / 4)
        case "hits": .integer(Int64(number))
        // There are few codes, so that objects share one.
        case "code": number % 4 == 0 ? .null : .string("n\(number % 4)")
        case "peak": number == 0 ? .null : .integer(Int64(number % 40))
        case "first", "seen": number == 0 ? .null : .date(1_700_000_000 + Double(number % 40) * 86_400.5)
        case "spot": number == 0 ? .null : ContextModel.spot(number)
        case "photo": number == 0 ? .null : ContextModel.photo(number)
        default: number == 0 ? .null : .string("n\(number)")
        }
    }

    static func run(_ step: ContextStep, in context: ManagedObjectContext) throws {
        func existing(_ object: Int) -> ManagedObject? { ContextWorld.existing(object, in: context) }
        switch step {
        case .insert(_, let object):
            try context.insert(entity: entity(object), id: ContextModel.id(object))
        case .set(_, let object, let property, let number):
            try existing(object)?.setValue(value(property, number), forKey: property)
        case .add(_, let object, let property, let amount):
            guard let found = existing(object) else { break }
            let sum = try found.value(forKey: property).adding(value(property, amount))
            try found.setValue(sum, forKey: property)
        case .point(_, let object, let property, let target):
            guard let found = existing(object), target.map({ existing($0) != nil }) ?? true else { break }
            let value = target.map { PropertyValue.reference(ContextModel.id($0)) } ?? .null
            guard try found.value(forKey: property) != value else { break }
            try found.setValue(value, forKey: property)
        case .link(_, let object, let property, let target):
            guard let found = existing(object), let other = existing(target) else { break }
            try found.link(other, forKey: property)
        case .unlink(_, let object, let property, let target):
            guard let found = existing(object), let other = existing(target) else { break }
            try found.unlink(other, forKey: property)
        case .arrange(_, let object, let property, let target, let place):
            guard let found = existing(object), let other = existing(target) else { break }
            try found.insert(other, forKey: property, at: place)
        case .delete(_, let object): if let found = existing(object) { context.delete(found) }
        case .refresh(_, let object, let keeps):
            if let found = context.registeredObject(for: id(object)) { context.refresh(found, mergeChanges: keeps) }
        case .refreshAll: context.refreshAllObjects()
        case .rollback: context.rollback()
        case .undo: context.undo()
        case .redo: context.redo()
        case .undoAll: while context.undoStack?.canUndo == true { context.undo() }
        case .beginGroup: context.undoStack?.beginUndoGrouping()
        case .endGroup: context.undoStack?.endUndoGrouping()
        case .save, .batch, .deleteBatch, .insertBatch, .merge, .elapse, .kill, .unpin, .check, .checkpoint, .fetch:
            break
        }
    }

    private static func entity(_ object: Int) -> String { ContextModel.entities[ContextModel.entity(of: object)].name }

    private static func id(_ object: Int) -> ManagedObjectID {
        let entity = entity(object)
        return ManagedObjectID(
            store: "contexts",
            entity: entity,
            rootEntity: entity,
            uniqueID: ContextModel.id(object)
        )
    }

    private static func existing(_ object: Int, in context: ManagedObjectContext) -> ManagedObject? {
        try? context.existingObject(with: id(object))
    }

    // MARK: Saving

    /// A batch names all red items in the store, and counts them up.
    private mutating func batch(_ step: ContextStep, _ number: Int) async throws {
        try await runBatch(step) { oracle in
            oracle.batch(name: ContextWorld.value("name", number), amount: ContextWorld.amount(number))
        }
    }

    private static func amount(_ number: Int) -> PropertyValue {
        .integer(ContextFeatures.lacks(.amounts) ? 0 : Int64(number % 7))
    }

    static func runBatch(_ step: ContextStep, in context: ManagedObjectContext) throws {
        switch step {
        case .batch(_, let number):
            var properties: [String: BatchUpdateRequest.Expression] = ["name": .value(value("name", number))]
            if !amount(number).isZero { properties["stock"] = .increment(amount(number)) }
            let red = try ObjectPredicate(parsing: "colour == 'red'")
            _ = try context.execute(BatchUpdateRequest("Item", predicate: red, setting: properties))
        case .deleteBatch(_, let entity):
            let unnamed = try ObjectPredicate(parsing: "name == NULL")
            _ = try context.execute(BatchDeleteRequest(ContextModel.entities[entity].name, predicate: unnamed))
        case .insertBatch(_, let object, let number, let policy):
            context.mergePolicy = MergePolicy(rawValue: policy) ?? .objectTrump
            let rows = BatchRows.of(object, number).map(\.values)
            _ = try context.execute(BatchInsertRequest(entity(object), rows: rows))
        default: break
        }
    }

    /// A batch is one transaction of the store, or is refused as a whole.
    private mutating func runBatch(_ step: ContextStep, _ predict: (inout Oracle) -> [String]?) async throws {
        guard [0, 1, 7].contains(step.context) else { return }
        oracle.begin(step.context)
        let refusal = try await contexts.ask(step.context, .batch(step)).refusal
        try compareBatch(step.context, predict(&oracle), refusal)
    }

    /// `expected` is nil when the batch should be refused.
    private mutating func compareBatch(_ index: Int, _ expected: [String]?, _ refusal: String?) throws {
        let transactions = try contexts.transactions(after: sequence)
        sequence += UInt64(transactions.count)
        let written = transactions.flatMap { LogLines.of($0.changes) }.sorted()
        guard let lines = expected else {
            try Divergence.demandEqual([], written, "a batch that is refused writes changes")
            guard refusal == nil else { return }
            throw Divergence("a batch writes \(written), and should be refused")
        }
        if let refusal { throw Divergence("a batch that should write \(lines) is refused: \(refusal)") }
        try Divergence.demandEqual(lines, written, "a batch writes other changes")
        // The view context shows its own batch at once.
        if index == ContextPlace.view, !lines.isEmpty { oracle.moveToNewest(index) }
    }

    private mutating func importChanges(throughBaseline: Bool) async throws {
        oracle.begin(ContextPlace.foreign)
        let changes = ForeignChanges.of(oracle.importChanges(ContextPlace.foreign))
        guard !changes.isEmpty else { return }
        if files == nil { files = try contexts.foreignFiles() }
        try await files?.bring(changes, throughBaseline: throughBaseline)
    }

    /// The clock goes on: the view context merges exactly when its timer ends.
    private mutating func elapse(_ milliseconds: Int) async throws {
        await contexts.container.pipeline.postRemoteCommitsNow()
        let (due, found) = (timer.deadline, contexts.timeOfMerge(at: timer.now))
        guard due == found else {
            func text(_ time: Int?) -> String { time.map { "\($0) ms" } ?? "no time" }
            throw Divergence("the timer of the view context ends at \(text(found)), not at \(text(due))")
        }
        if timer.advance(by: milliseconds) {
            await contexts.mergeByTimer(at: timer.now)
            oracle.moveToNewest(ContextPlace.view)
        } else {
            contexts.clock.advance(to: .milliseconds(timer.now))
        }
    }

    private mutating func save(_ index: Int, _ policy: String) async throws {
        oracle.begin(index)
        // The oracle does not know an ID that is deleted and inserted again in one context.
        let forgetsSteps = ContextPlace.all[index].parent != nil && !oracle.contexts[index].delta.deleted.isEmpty
        if forgetsSteps { oracle.forgetSteps(index) }
        let found = try await contexts.ask(index, .save(policy: policy, forgetsSteps: forgetsSteps)).outcome
        let transactions = try contexts.transactions(after: sequence)
        sequence += UInt64(transactions.count)
        var expected = oracle.save(index, policy: policy)
        if case .written(let lines) = expected, ContextFeatures.lacks(.partialInserts) {
            expected = .written(
                lines.map { line in
                    guard line.hasPrefix("insert") else { return line }
                    return line.replacing(" name=-", with: "").replacing(" shelf=-", with: "")
                        .replacing(" colour=red", with: "")
                }.sorted()
            )
        }
        oracle.end(index)
        let seen: Oracle.SaveOutcome =
            transactions.isEmpty ? found : .written(transactions.flatMap { LogLines.of($0.changes) }.sorted())
        if !(expected == .absorbed && seen == .nothing), expected != seen {
            try report(index, expected, seen)
        }
        if case .written = seen, let failure = oracle.takePositions(transactions.flatMap(\.changes)) {
            throw Divergence("context \(index) saves: \(failure)")
        }
    }

    private func report(_ index: Int, _ expected: Oracle.SaveOutcome, _ seen: Oracle.SaveOutcome) throws {
        if case .written(let wanted) = expected, case .written(let written) = seen {
            try Divergence.demandEqual(wanted, written, "context \(index) writes other changes")
        }
        throw Divergence("context \(index): a save ends with \(seen), not with \(expected)")
    }

    // MARK: Comparing

    private mutating func compare(_ index: Int) async throws {
        guard index != ContextPlace.foreign else { return }
        oracle.begin(index)
        let shown = oracle.shown(index)
        let listed = ContextQuery.all[0].result(in: shown)
        let discarded = oracle.contexts[index].discarded
        let reply = try await contexts.ask(index, .show(keepsObjects: keepsObjects))
        oracle.forgetDiscarded(index)
        if contexts.hasObservers, !discarded.isSubset(of: reply.discarded) {
            let lost = discarded.subtracting(reply.discarded).sorted().map(ContextModel.name)
            throw Divergence("context \(index) has lost changes of \(lost), and no observer was told")
        }
        try Divergence.demandEqual(shown.lines, reply.lines, "context \(index) shows other objects")
        let own = oracle.contexts[index].delta.changes
        try Divergence.demandEqual(own, reply.changes, "context \(index) has other changes")
        if let groups = oracle.contexts[index].undo?.names, reply.groups != groups {
            throw Divergence("context \(index) undoes and redoes the groups \(reply.groups), not \(groups)")
        }
        if let failure = try await contexts.failureOfResults(index, listed.objects, listed.keys) {
            throw Divergence("context \(index): \(failure)")
        }
    }

    /// Runs a query; from 100 on without the unsaved changes.
    private mutating func fetch(_ index: Int, _ number: Int) async throws {
        guard index != ContextPlace.foreign else { return }
        oracle.begin(index)
        let query = ContextQuery.numbered(number)
        let isStored = number >= 100
        let (objects, keys) = query.result(in: isStored ? oracle.base(index) : oracle.shown(index))
        let reply = try await contexts.ask(index, .fetch(number))
        guard reply.ids.sorted() == objects, reply.count == objects.count, reply.objects == reply.ids else {
            throw Divergence(
                "context \(index) fetches \(reply.ids.map(ContextModel.name)), counts \(reply.count) and fetches the objects "
                    + "\(reply.objects.map(ContextModel.name)), not \(objects.map(ContextModel.name))"
            )
        }
        guard isStored || reply.keys == keys.map(ContextModel.text) else {
            throw Divergence("context \(index) fetches in the order \(reply.keys), not \(keys.map(ContextModel.text))")
        }
    }
}
