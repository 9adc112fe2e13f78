import SimulationRunning

/// One step of a schedule: something that a program does in one context.
///
/// A context and an object are numbers. A step on an object that the context does not show does nothing.
package enum ContextStep: Hashable, Sendable {
    case insert(Int, object: Int)
    /// Sets an attribute to the value that belongs to the number.
    case set(Int, object: Int, property: String, value: Int)
    /// Adds to a counter.
    case add(Int, object: Int, property: String, amount: Int)
    /// Sets a to-one relationship.
    case point(Int, object: Int, property: String, target: Int?)
    /// Adds an object to a to-many relationship, or removes it.
    case link(Int, object: Int, property: String, target: Int)
    case unlink(Int, object: Int, property: String, target: Int)
    /// Adds an object to an ordered relationship at a place, or moves it there.
    case arrange(Int, object: Int, property: String, target: Int, place: Int)
    case delete(Int, object: Int)
    case save(Int, policy: String)
    /// A batch names all red items in the store, and counts them up.
    case batch(Int, value: Int)
    /// A batch deletes the objects of one entity that have no name.
    case deleteBatch(Int, entity: Int)
    /// A batch inserts the object and the next one, when that has the same entity.
    case insertBatch(Int, object: Int, value: Int, policy: String)
    /// The view context merges, or a pinned context is pinned to the newest state.
    case merge(Int)
    /// The clock goes on, and the view context merges when its timer ends.
    case elapse(Int, milliseconds: Int)
    /// A pinned context shows the newest state again.
    case unpin(Int)
    case refresh(Int, object: Int, keeps: Bool)
    case refreshAll(Int)
    case rollback(Int)
    /// The other process is killed, and another one takes its place.
    case kill(Int)
    case undo(Int)
    case redo(Int)
    case undoAll(Int)
    /// The changes until the end of the group are undone together.
    case beginGroup(Int)
    case endGroup(Int)
    case check(Int)
    /// The write-ahead log of the store is written into the database.
    case checkpoint(Int)
    case fetch(Int, query: Int)

    var isUndo: Bool {
        switch self {
        case .undo, .redo, .undoAll: true
        default: false
        }
    }

    /// Whether it changes values or objects itself.
    var isEdit: Bool {
        switch self {
        case .insert, .set, .add, .point, .link, .unlink, .arrange, .delete: true
        case .save, .batch, .deleteBatch, .insertBatch, .merge, .elapse, .unpin, .refresh, .refreshAll, .rollback,
            .kill, .undo, .redo, .undoAll, .beginGroup, .endGroup, .check, .checkpoint, .fetch:
            false
        }
    }

    var context: Int {
        switch self {
        case .insert(let context, _), .set(let context, _, _, _), .add(let context, _, _, _),
            .point(let context, _, _, _), .link(let context, _, _, _), .unlink(let context, _, _, _),
            .arrange(let context, _, _, _, _), .delete(let context, _), .save(let context, _),
            .batch(let context, _), .deleteBatch(let context, _), .insertBatch(let context, _, _, _),
            .merge(let context), .elapse(let context, _), .unpin(let context), .refresh(let context, _, _),
            .refreshAll(let context), .rollback(let context), .kill(let context), .undo(let context),
            .redo(let context), .undoAll(let context), .beginGroup(let context), .endGroup(let context),
            .check(let context), .checkpoint(let context), .fetch(let context, _):
            context
        }
    }
}

/// A step is a line of words.
extension ContextStep: CustomStringConvertible {
    package var description: String {
        switch self {
        case .insert(let context, let object): "insert \(context) \(object)"
        case .set(let context, let object, let property, let value): "set \(context) \(object) \(property) \(value)"
        case .add(let context, let object, let property, let amount): "add \(context) \(object) \(property) \(amount)"
        case .point(let context, let object, let property, let target):
            "point \(context) \(object) \(property) \(target.map(String.init) ?? "-")"
        case .link(let context, let object, let property, let target):
            "link \(context) \(object) \(property) \(target)"
        case .unlink(let context, let object, let property, let target):
            "unlink \(context) \(object) \(property) \(target)"
        case .arrange(let context, let object, let property, let target, let place):
            "arrange \(context) \(object) \(property) \(target) \(place)"
        case .delete(let context, let object): "delete \(context) \(object)"
        case .save(let context, let policy): "save \(context) \(policy)"
        case .batch(let context, let value): "batch \(context) \(value)"
        case .deleteBatch(let context, let entity): "delete-batch \(context) \(entity)"
        case .insertBatch(let context, let object, let value, let policy):
            "insert-batch \(context) \(object) \(value) \(policy)"
        case .merge(let context): "merge \(context)"
        case .elapse(let context, let milliseconds): "elapse \(context) \(milliseconds)"
        case .unpin(let context): "unpin \(context)"
        case .refresh(let context, let object, let keeps): "refresh \(context) \(object) \(keeps)"
        case .refreshAll(let context): "refresh-all \(context)"
        case .rollback(let context): "rollback \(context)"
        case .kill(let context): "kill \(context)"
        case .undo(let context): "undo \(context)"
        case .redo(let context): "redo \(context)"
        case .undoAll(let context): "undo-all \(context)"
        case .beginGroup(let context): "begin-group \(context)"
        case .endGroup(let context): "end-group \(context)"
        case .check(let context): "check \(context)"
        case .checkpoint(let context): "checkpoint \(context)"
        case .fetch(let context, let query): "fetch \(context) \(query)"
        }
    }

    /// Reads the words of a step; nil when they are none.
    init?(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        func number(_ index: Int) -> Int? { index < words.count ? Int(words[index]) : nil }
        guard let verb = words.first, let context = number(1) else { return nil }
        switch (verb, number(2), words.count > 3 ? words[3] : "", number(4)) {
        case ("insert", let object?, _, _): self = .insert(context, object: object)
        case ("set", let object?, let property, let value?):
            self = .set(context, object: object, property: property, value: value)
        case ("add", let object?, let property, let amount?):
            self = .add(context, object: object, property: property, amount: amount)
        case ("point", let object?, let property, let target):
            self = .point(context, object: object, property: property, target: target)
        case ("link", let object?, let property, let target?):
            self = .link(context, object: object, property: property, target: target)
        case ("unlink", let object?, let property, let target?):
            self = .unlink(context, object: object, property: property, target: target)
        case ("arrange", let object?, let property, let target?):
            guard let place = number(5) else { return nil }
            self = .arrange(context, object: object, property: property, target: target, place: place)
        case ("delete", let object?, _, _): self = .delete(context, object: object)
        case ("save", nil, _, _) where words.count == 3: self = .save(context, policy: words[2])
        case ("batch", let value?, _, _): self = .batch(context, value: value)
        case ("delete-batch", let entity?, _, _): self = .deleteBatch(context, entity: entity)
        case ("insert-batch", let object?, let value, _):
            guard let value = Int(value), words.count == 5 else { return nil }
            self = .insertBatch(context, object: object, value: value, policy: words[4])
        case ("merge", _, _, _): self = .merge(context)
        case ("elapse", let milliseconds?, _, _): self = .elapse(context, milliseconds: milliseconds)
        case ("unpin", _, _, _): self = .unpin(context)
        case ("refresh", let object?, let keeps, _): self = .refresh(context, object: object, keeps: keeps == "true")
        case ("refresh-all", _, _, _): self = .refreshAll(context)
        case ("rollback", _, _, _): self = .rollback(context)
        case ("kill", _, _, _): self = .kill(context)
        case ("undo", _, _, _): self = .undo(context)
        case ("redo", _, _, _): self = .redo(context)
        case ("undo-all", _, _, _): self = .undoAll(context)
        case ("begin-group", _, _, _): self = .beginGroup(context)
        case ("end-group", _, _, _): self = .endGroup(context)
        case ("checkpoint", _, _, _): self = .checkpoint(context)
        case ("check", _, _, _): self = .check(context)
        case ("fetch", let query?, _, _): self = .fetch(context, query: query)
        default: return nil
        }
    }
}

/// Another process gets a step as its text.
extension ContextStep: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let step = ContextStep(text[...]) else { throw Divergence("this is not a step: \(text)") }
        self = step
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
