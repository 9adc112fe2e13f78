import TributaryChanges
import TributaryModel
import TributaryStore

/// Merges, refreshes and saves change the base, and only the program changes the amount, which the save exports.
struct CountedAmount: Hashable {
    var base: PropertyValue
    var amount: PropertyValue

    var shown: PropertyValue { CounterTotals.value(of: [amount], above: base) }
}

extension PropertyValue {
    var isFinite: Bool { if case .double(let number) = self { number.isFinite } else { true } }
}

extension ManagedObject {
    func countedAmount(_ propertyIndex: Int) -> PropertyValue {
        extras?.counted[propertyIndex]?.amount ?? .integer(0)
    }

    func assignCounter(_ value: PropertyValue, _ propertyIndex: Int) {
        let known = extras?.counted[propertyIndex]
        if !value.isFinite {
            // No store can hold the value, and no amount leads to it: the validation before the save refuses it.
            if known == nil {
                let none = CountedAmount(base: values[propertyIndex], amount: .integer(0))
                makeExtras().counted[propertyIndex] = none
            }
            set(value, propertyIndex)
            changed.insert(propertyIndex)
            managedObjectContext?.recordEdit(of: self)
            return
        }
        let base = known?.base ?? values[propertyIndex]
        let amount = CounterTotals.amount(from: base, to: value)
        let step = known.map { CounterTotals.difference(amount, $0.amount) } ?? amount
        count(step, propertyIndex)
    }

    func count(_ step: PropertyValue, _ propertyIndex: Int) {
        if values.isEmpty {
            fire()
            if values.isEmpty { values = descriptor.defaults }
        }
        let known = extras?.counted[propertyIndex]
        var counted = known ?? CountedAmount(base: values[propertyIndex], amount: .integer(0))
        counted.amount = known.map { CounterTotals.sum($0.amount, step) } ?? step
        let isChange = !CounterTotals.isZero(counted.amount)
        guard !CounterTotals.isZero(step) else {
            // A value that could not be counted is replaced.
            if values[propertyIndex] != counted.shown { set(counted.shown, propertyIndex) }
            if !isChange, known != nil { forgetAmount(propertyIndex) }
            return
        }
        let context = managedObjectContext
        if let context { keepEventValues(context) }
        if let context, context.pending.isFollowingWrites {
            context.pending.propertyWillChange(of: self, propertyIndex)
            if state != .gone { context.undoStack?.record(.count(self, propertyIndex: propertyIndex, amount: step)) }
        }
        makeExtras().counted[propertyIndex] = counted
        set(counted.shown, propertyIndex)
        guard state != .gone, state != .detached else { return }
        // A counter with its old value again has no change.
        if isChange { changed.insert(propertyIndex) } else { forgetAmount(propertyIndex) }
        context?.recordEdit(of: self)
    }

    private func forgetAmount(_ propertyIndex: Int) {
        changed.remove(propertyIndex)
        extras?.counted[propertyIndex] = nil
    }

    func rebased(on row: [PropertyValue]) -> [PropertyValue] {
        guard !values.isEmpty else { return row }
        var result = row
        for propertyIndex in changed.propertyIndexes {
            if let counted = extras?.counted[propertyIndex] {
                result[propertyIndex] = CountedAmount(base: row[propertyIndex], amount: counted.amount).shown
            } else {
                result[propertyIndex] = values[propertyIndex]
            }
        }
        for propertyIndex in descriptor.properties.transientIndexes { result[propertyIndex] = values[propertyIndex] }
        return result
    }

    func rebase(on row: Row) {
        rebase(on: row.values)
        self.row = row
    }

    private func rebase(on base: [PropertyValue]) {
        values = rebased(on: base)
        guard let extras else { return }
        for propertyIndex in extras.counted.keys { extras.counted[propertyIndex]?.base = base[propertyIndex] }
    }

    /// Another object may have had the new object's identifier, or the new object may have unsaved amounts.
    func readCounters(_ context: ManagedObjectContext) {
        let counters = descriptor.properties.counters
        guard !counters.isEmpty, !values.isEmpty else { return }
        do {
            var base = values
            try context.reader.read { reader in
                for propertyIndex in counters.propertyIndexes {
                    base[propertyIndex] = try reader.counterValue(
                        uniqueID,
                        entity: descriptor.entity,
                        propertyIndex: propertyIndex
                    )
                    if !CounterTotals.isZero(countedAmount(propertyIndex)) { changed.insert(propertyIndex) }
                }
            }
            rebase(on: base)
        } catch {
            context.reader.unreportedError = error
        }
    }

    func setAllProperties() {
        for propertyIndex in descriptor.entity.properties.indices {
            guard !descriptor.properties.special.contains(propertyIndex),
                !descriptor.properties.derivedIndexes.contains(propertyIndex)
            else { continue }
            switch descriptor.entity.properties[propertyIndex] {
            case .attribute, .relationship(_, .column): changed.insert(propertyIndex)
            case .relationship: continue
            }
        }
    }

    func clearChanges(keepingAmounts: Bool = false) {
        changed.removeAll()
        if !keepingAmounts, let extras, !extras.counted.isEmpty { extras.counted = [:] }
    }
}
