import TributaryChanges
import TributaryModel

final class BaselineTotals {
    private let engine: MergeEngine
    private let vector: BaselineVector
    private let reader: Reader
    private let replaced: Set<Int64>
    private let isOfThisModel: Bool
    private var counters: [String: [String: (root: String, countsFractions: Bool)]] = [:]
    private var deferred: [Part: Deferred]?
    private var deferredCount = 0

    // The contents of the lines of one object.
    private var id: UniqueID?
    private var columns: Set<StoreModel.ColumnIndex> = []
    private var counted: [Total: PropertyValue] = [:]
    private var uncounted: [Part: Uncounted] = [:]

    private struct Total: Hashable {
        var column: StoreModel.ColumnIndex
        var writer: Int64
    }

    /// Increments that another model may count separately are in different parts, unless their counter is known.
    private struct Part: Hashable {
        var entity: String
        var id: UniqueID
        var property: String
        var writer: UniqueID
        var kind: CounterTotals.Kind
    }

    private struct Deferred {
        var sum: JSONValue
        var hasIncrements: Bool
    }

    private struct Uncounted {
        var entity: String
        var total: JSONValue
        var entry: BaselineVector.Ahead
        var order: Int
    }

    init(
        _ engine: MergeEngine,
        vector: BaselineVector,
        reader: Reader,
        rules: BaselineRules,
        isOfThisModel: Bool
    ) {
        self.isOfThisModel = isOfThisModel
        replaced = Set(vector.ahead.values.filter { !$0.keepsTotals }.map(\.row))
        self.engine = engine
        self.vector = vector
        self.reader = reader
        for (root, entities) in rules.roots {
            for (entity, rules) in entities {
                for (property, rule) in rules where rule == StoreModel.counter || rule == StoreModel.fractionCounter {
                    counters[entity, default: [:]][property] = (root, rule == StoreModel.fractionCounter)
                }
            }
        }
    }

    private func part(
        _ entity: String,
        _ id: UniqueID,
        _ property: String,
        _ writer: UniqueID,
        _ amount: JSONValue
    ) -> Part {
        let kind = CounterTotals.kind(amount)
        var part = Part(entity: entity, id: id, property: property, writer: writer, kind: kind)
        if let counter = counters[entity]?[property] {
            part.entity = counter.root
            if counter.countsFractions, part.kind == .integer { part.kind = .fraction }
        }
        return part
    }

    /// Replaces the store's total of each writer that is ahead in the baseline; the lines of an object are consecutive.
    func merge(_ counter: BaselineCounter) throws {
        if id != counter.id { try flush() }
        id = counter.id
        let known = reader.context.layout.attribute(counter.property, of: counter.entity)
        if let known, known.rule == .counter { columns.insert(known.index) }
        for (writer, total) in counter.totals {
            guard let entry = vector.ahead[writer], !entry.keepsTotals else { continue }
            if let (column, type, rule) = known, rule == .counter, let value = type.amount(from: total) {
                let key = Total(column: column, writer: entry.row)
                counted[key] = CounterTotals.sum(counted[key], value)
            } else {
                let key = part(counter.entity, counter.id, counter.property, writer, total)
                let before = uncounted[key]
                uncounted[key] = Uncounted(
                    entity: counter.entity,
                    total: CounterTotals.total(before?.total, adding: total),
                    entry: entry,
                    order: before?.order ?? uncounted.count
                )
            }
        }
    }

    func flush() throws {
        guard let id else { return }
        for column in columns where isOfThisModel {
            for (writer, total) in try engine.tables.counters.totals(of: id, column) where replaced.contains(writer) {
                let key = Total(column: column, writer: writer)
                counted[key] = counted[key] ?? CounterTotals.difference(total, total)
            }
        }
        var changed: Set<StoreModel.ColumnIndex> = []
        for (key, total) in counted
        where try engine.tables.counters.set(total, writer: key.writer, of: id, key.column) {
            changed.insert(key.column)
        }
        for column in changed.sorted(by: { ($0.table, $0.column) < ($1.table, $1.column) }) { try show(column, of: id) }
        for (part, total) in uncounted.sorted(by: { $0.value.order < $1.value.order }) {
            try deferTotal(total, of: part)
        }
        self.id = nil
        columns.removeAll(keepingCapacity: true)
        counted.removeAll(keepingCapacity: true)
        uncounted.removeAll(keepingCapacity: true)
    }

    private func show(_ column: StoreModel.ColumnIndex, of id: UniqueID) throws {
        let tables = engine.tables
        let before = try engine.objects.store.load(column.table, id)
        var object = before
        if let row = before.row {
            let value = try tables.counterValue(id, column, entity: row.entity)
            guard try before.state.registers.value(of: column.column) != value else { return }
            object.state.registers.show(value, in: column.column)
        }
        // An object that is not visible gets a row, because an insert looks for totals only if there is a row.
        try engine.objects.store(object, over: before)
    }

    private func deferTotal(_ total: Uncounted, of part: Part) throws {
        var rest = total.total
        if let known = try known()[part] {
            if known.hasIncrements, known.sum.inKeyOrder == rest.inKeyOrder { return }
            if let before = CounterTotals.number(known.sum), let number = CounterTotals.number(rest) {
                rest = CounterTotals.difference(number, before).json
                // Increments with the sum zero are still a total.
                if known.hasIncrements, rest == .integer(0) || rest == .double(0) { return }
            }
        }
        deferredCount += 1
        let write = PropertyWrite(name: part.property, value: JSONValue(increment: rest))
        let change = Change(entity: total.entity, id: part.id, operation: .update([write]))
        try engine.tables.deferred.insert(
            .init(change, number: total.entry.lastNumber, position: -deferredCount, valueIndex: 0),
            reason: "'\(total.entity)' has no counter '\(part.property)' that can hold \(total.total.kind)"
        )
    }

    private func known() throws -> [Part: Deferred] {
        if let deferred { return deferred }
        var (found, inserted): ([Part: JSONValue], [Part: PropertyValue]) = ([:], [:])
        try DeferredState(reader, engine.tables.versions).forEach { object in
            for amount in object.uncountedAmounts {
                let part = part(amount.entity, object.id, amount.property, amount.writer, amount.value)
                inserted[part] = CounterTotals.sum(inserted[part], amount.number)
            }
            for (property, totals) in object.totals {
                for (writer, total) in totals {
                    for (one, sum) in total.parts {
                        let part = part(one.entity, object.id, property, writer, sum)
                        found[part] = CounterTotals.total(found[part], adding: sum)
                    }
                }
            }
        }
        var known = found.mapValues { Deferred(sum: $0, hasIncrements: true) }
        for (part, sum) in inserted { known[part] = Deferred(sum: sum.json, hasIncrements: false) }
        self.deferred = known
        return known
    }
}
