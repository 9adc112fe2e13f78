import TributaryChanges
import TributaryModel

final class ValueConverter {
    private let deferral: DeferralWriter
    private let external: ExternalValues
    private var layout: StoreModel { deferral.layout }
    @exclusivity(unchecked) private(set) var writes: [RegisterWrite] = []

    init(_ deferral: DeferralWriter, external: ExternalValues) {
        self.deferral = deferral
        self.external = external
    }

    /// Sets ``writes``; throws `invalidChange` if the model cannot represent a value of a local change.
    func convert(_ values: [PropertyWrite], of index: Int, in slice: ChangeSlice, shape: ChangeShape) throws {
        writes.removeAll(keepingCapacity: true)
        for valueIndex in values.indices {
            let json = values[valueIndex].value
            let column: Int
            let value: PropertyValue?
            switch shape.targets[valueIndex] {
            case .scalar(let target, let type):
                column = target
                value = try external.stored(type.scalarValue(from: json), column: target, entity: shape.entity)
            case .composite(let target, let attribute):
                column = target
                value = attribute.value(from: json)
            case .reference(let target):
                column = target
                value = ValueConverter.reference(json)
            case .counter(let target, let type):
                // An insert with a null value is not an increment.
                if shape.isInsert, json == .null { continue }
                column = target
                value = type.amount(ofWrite: json, isInsert: shape.isInsert)
            case .inverse, .formerInverse, .unknown:
                try deferUnlessWrittenElsewhere(values[valueIndex], valueIndex, of: index, in: slice, shape)
                continue
            }
            if let value {
                writes.append(RegisterWrite(column: column, value: value))
            } else {
                let name = values[valueIndex].name
                let reason = "'\(name)' of '\(slice.changes[index].entity)' cannot hold \(json.kind)"
                try deferValue(valueIndex, of: index, in: slice, reason)
            }
        }
        if shape.repeatsColumns { joinRepeated(of: shape) }
    }

    private func joinRepeated(of shape: ChangeShape) {
        var joined: [RegisterWrite] = []
        for var write in writes {
            if let index = joined.firstIndex(where: { $0.column == write.column }) {
                let earlier = joined.remove(at: index).value
                switch layout.tables[layout.entities[shape.entity].table].columns[write.column].mergeRule {
                case .latest: break
                case .counter: write.value = CounterTotals.sum(earlier, write.value)
                case let rule: write.value = write.value.replaces(earlier, under: rule) ? write.value : earlier
                }
            }
            joined.append(write)
        }
        writes = joined
    }

    func assign(_ target: UniqueID?, to column: Int) {
        writes.removeAll(keepingCapacity: true)
        writes.append(RegisterWrite(column: column, value: target.map(PropertyValue.reference) ?? .null))
    }

    private func deferUnlessWrittenElsewhere(
        _ write: PropertyWrite,
        _ valueIndex: Int,
        of index: Int,
        in slice: ChangeSlice,
        _ shape: ChangeShape
    ) throws {
        switch shape.targets[valueIndex] {
        case .inverse:
            if ValueConverter.isWrittenElsewhere(write.value, isInsert: shape.isInsert) { return }
            let reason = "'\(write.name)' is kept on its other side: null has to be written there"
            try deferValue(valueIndex, of: index, in: slice, reason)
        case .formerInverse(let entity, let property):
            if shape.isInsert, write.value == .null { return }
            guard case .string(let text) = write.value, let other = UniqueID(text) else {
                let reason = "'\(write.name)' was kept on its other side: null has to be written there"
                return try deferValue(valueIndex, of: index, in: slice, reason)
            }
            let change = slice.changes[index]
            try deferral.deferReference(to: change, valueIndex, in: (entity, other, property), at: index, of: slice)
        case .unknown(let reason): try deferValue(valueIndex, of: index, in: slice, reason)
        case .scalar, .composite, .reference, .counter: break
        }
    }

    private func deferValue(_ valueIndex: Int, of index: Int, in slice: ChangeSlice, _ reason: String) throws {
        let change = slice.changes[index].withValues { [$0[valueIndex]] }
        try deferral.deferChange(change, valueIndex, at: index, of: slice, reason: reason)
    }

    static func reference(_ json: JSONValue) -> PropertyValue? {
        switch json {
        case .null: .null
        case .string(let text): UniqueID(text).map(PropertyValue.reference)
        default: nil
        }
    }

    /// True if the identifier went to the other object's register already, or a new object has no owner.
    private static func isWrittenElsewhere(_ json: JSONValue, isInsert: Bool) -> Bool {
        reference(json).map { isInsert || !$0.isNull } ?? false
    }
}
