import TributaryChanges
import TributaryModel

/// The lines of transactions that no known version of the model can interpret.
///
/// They supersede nothing, and nothing supersedes them. They include later lines of these transactions that may write
/// the same objects. Digests omit them: a store that joined a baseline of a newer model has fewer of them.
struct KeptLines {
    private let table: DeferredWriteTable
    private let layout: StoreModel
    private let touched: TouchedObjects

    init(_ reader: Reader, touched: TouchedObjects = TouchedObjects()) {
        self.touched = touched
        table = DeferredWriteTable(db: reader.database)
        layout = reader.context.layout
    }

    /// Calls `body` in the order of the versions, with the line's index in its transaction; O(n), one line in memory.
    func forEach(_ body: (_ number: Int64, _ index: Int, Change) throws -> Void) throws {
        var (number, index) = (Int64?.none, 0)
        try table.forEachLine { line in
            if line.number != number {
                (number, index) = (line.number, 0)
                touched.removeAll()
            }
            let objects = line.change.touchedObjects
            let isRepeated = try line.change.operation != .delete && touched.containsAny(of: objects)
            guard isRepeated || layout.isUnsettled(line.change) else { return }
            try touched.insert(objects)
            let rest = layout.withoutTotals(line.change)
            guard rest.operation != .update([]) else { return }
            try body(line.number, index, rest)
            index += 1
        }
    }
}

enum WrittenMeaning {
    /// The kind of the property does not fit the write, so the write never takes effect in this model.
    case none
    case unknown
    case known(Property)
}

extension StoreModel {
    func meaning(of name: String, in entity: String, isLink: Bool) -> WrittenMeaning {
        guard let layout = self.entity(named: entity) else {
            return formerProperty(named: name, of: lastName(ofEntity: entity)).map { .known($0) } ?? .unknown
        }
        guard let index = propertyIndex(named: name, of: layout.entity) else {
            guard let former = formerProperty(named: name, of: layout.entity.name) else { return .unknown }
            // The property at the other end of the relationship represents the link now.
            let isElsewhere =
                former.relationship != nil && counterpart(ofProperty: name, of: layout.entity.name) != nil
            return isElsewhere ? .none : .known(former)
        }
        let fits =
            switch layout.places[index] {
            case .column: !isLink
            case .inverse, .links: isLink
            case .inverseColumn, .none: false
            }
        return fits ? .known(layout.entity.properties[index]) : .none
    }

    /// Whether a later model may accept a deferred insert or value that this model cannot interpret.
    func isUnsettled(_ change: Change) -> Bool {
        if let (name, ids, positions, _) = change.operation.pairs, positions.map({ $0.count == ids.count }) ?? true {
            if case .unknown = meaning(of: name, in: change.entity, isLink: true) { return true }
        }
        guard let (writes, isInsert) = change.operation.valueWrites else { return false }
        let entity = entity(named: change.entity)?.entity
        if isInsert, entity.map(\.isAbstract) ?? !isFormer(entity: change.entity) { return true }
        return writes.contains { isUnsettled($0, in: change.entity) }
    }

    /// Increments need no order, so they can always be merged later.
    private func isUnsettled(_ write: PropertyWrite, in entity: String) -> Bool {
        switch meaning(of: write.name, in: entity, isLink: false) {
        case .none, .known(.relationship): return false
        case .unknown: return write.value.increment == nil
        case .known(.attribute(let attribute)):
            return attribute.effectiveRule != .counter && attribute.value(from: write.value) == nil
        }
    }

    func withoutTotals(_ change: Change) -> Change {
        change.filtered { write in
            switch meaning(of: write.name, in: change.entity, isLink: false) {
            case .unknown: write.value.increment == nil
            case .known(.attribute(let attribute)): attribute.effectiveRule != .counter
            case .none, .known(.relationship): true
            }
        }
    }

    /// Leaves out what must not be merged twice: counted values, and names of blobs that the store has.
    func repeatable(_ change: Change, except deferred: Set<String>) -> Change {
        let entity = entity(named: change.entity) ?? survivingRoot(ofEntity: change.entity).map { entities[$0] }
        return change.filtered { write in
            if deferred.contains(write.name) { return true }
            let isCounter = entity.flatMap { column(of: write.name, in: $0) }.map { self[$0].mergeRule == .counter }
            return isCounter != true && write.value["blob"] == nil
        }
    }

}

extension Change {
    fileprivate func filtered(_ isKept: (PropertyWrite) -> Bool) -> Change { withValues { $0.filter(isKept) } }
}
