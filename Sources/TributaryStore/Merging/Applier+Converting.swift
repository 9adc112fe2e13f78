import TributaryChanges
import TributaryModel

extension Applier {
    /// Fills `writes` with the values that the model can represent, and parks the others.
    ///
    /// They are those of the change at `change` in the slice.
    func convert(_ values: [PropertyWrite], of change: Int, in slice: ChangeSlice, shape: Int) throws {
        writes.removeAll(keepingCapacity: true)
        let form = shapes[shape]
        for index in values.indices {
            let json = values[index].value
            let place: Int
            let value: PropertyValue?
            switch form.targets[index] {
            case .scalar(let column, let type):
                place = column
                value = try kept(type.scalarValue(from: json), at: column, of: form.entity)
            case .composite(let column, let attribute):
                place = column
                value = attribute.value(from: json)
            case .reference(let column):
                place = column
                value = Applier.reference(json)
            case .counter(let column, let type):
                // An insert without a value does not count.
                if form.isInsert, json == .null { continue }
                place = column
                value = Applier.increment(json, type: type, isInsert: form.isInsert)
            case .mirror:
                if Applier.isMirrored(json, isInsert: form.isInsert) { continue }
                try park(
                    slice.changes[change],
                    position: slice.first + change,
                    part: firstPart + index,
                    reason: "'\(values[index].name)' is kept on its other side: null has to be written there"
                )
                continue
            case .formerMirror(let owner, let property):
                if form.isInsert, json == .null { continue }
                let part = firstPart + index
                if case .string(let text) = json, let other = UniqueID(text) {
                    let register = (owner, property)
                    try parkFormer(slice.changes[change], other, register, position: slice.first + change, part: part)
                } else {
                    let reason = "'\(values[index].name)' was kept on its other side: null has to be written there"
                    try park(slice.changes[change], position: slice.first + change, part: part, reason: reason)
                }
                continue
            case .unknown(let reason):
                try park(slice.changes[change], position: slice.first + change, part: firstPart + index, reason: reason)
                continue
            }
            if let value {
                writes.append(RegisterWrite(place: place, value: value))
            } else {
                let entity = slice.changes[change].entity
                let reason = "'\(values[index].name)' of '\(entity)' cannot hold \(json.kind)"
                try park(slice.changes[change], position: slice.first + change, part: firstPart + index, reason: reason)
            }
        }
    }

    static func reference(_ json: JSONValue) -> PropertyValue? {
        switch json {
        case .null: .null
        case .string(let text): UniqueID(text).map(PropertyValue.reference)
        default: nil
        }
    }

    /// The amount of `{"increment":N}`; an insert's plain value counts as one.
    static func increment(_ json: JSONValue, type: AttributeType, isInsert: Bool) -> PropertyValue? {
        let amount: JSONValue
        if case .object(let members) = json {
            guard members.count == 1, let found = json["increment"] else { return nil }
            amount = found
        } else {
            guard isInsert else { return nil }
            amount = json
        }
        switch amount {
        case .integer(let value): return type.isInteger ? .integer(value) : .double(Double(value))
        case .double(let value): return type.isInteger ? nil : .double(value)
        case .number(let text): return type.isInteger ? nil : Double(text).map(PropertyValue.double)
        default: return nil
        }
    }

    /// Whether a value of a mirrored property has been dealt with: an ID went to the other object's register, and that
    /// a new object has nobody needs no write.
    private static func isMirrored(_ json: JSONValue, isInsert: Bool) -> Bool {
        switch json {
        case .null: isInsert
        case .string(let text): UniqueID(text) != nil
        default: false
        }
    }
}
