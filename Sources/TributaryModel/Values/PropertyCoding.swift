package import TributaryChanges

extension AttributeType {
    /// Null is valid for every type: optionality is checked when a value is written, never when it is replayed.
    ///
    /// A number with a fraction or an exponent is not an integer, even when it is whole.
    package func scalarValue(from json: JSONValue) -> PropertyValue? {
        switch json {
        case .null: self == .undefined ? nil : .null
        case .integer(let value): integerValue(value)
        case .string(let text): textValue(text)
        case .double(let value): numberValue(value)
        // JavaScript writes doubles from 2^63 to 10^21 as integers.
        case .number(let text), .unrepresentable(let text): longNumberValue(text)
        case .boolean(let value): self == .boolean ? .boolean(value) : nil
        case .object: self == .binary || self == .transformable ? PropertyValue(blobReference: json) : nil
        case .array: nil
        }
    }

    private func integerValue(_ value: Int64) -> PropertyValue? {
        switch self {
        case .integer64, .integer32, .integer16: holds(.integer(value)) ? .integer(value) : nil
        case .double, .float: .double(Double(value))
        case .date: .date(DateValue(unixSeconds: value))
        // The model of the writer may still have the attribute as an integer.
        case .decimal: .decimal(String(value))
        default: nil
        }
    }

    func numberValue(_ value: Double) -> PropertyValue? {
        guard value.isFinite else { return nil }
        // The addition of 0 turns negative zero into zero: both are one value, with one text in a digest.
        switch self {
        case .double, .float: return holds(.double(value)) ? .double(value + 0) : nil
        case .date: return .date(DateValue(unixSeconds: value))
        default: return nil
        }
    }

    private func longNumberValue(_ text: String) -> PropertyValue? {
        guard self != .date else { return DateValue(unixText: text).map(PropertyValue.date) }
        return Double(text).flatMap { numberValue($0) }
    }

    private func textValue(_ text: String) -> PropertyValue? {
        switch self {
        case .string: .string(text)
        case .uuid: UniqueID(text).map(PropertyValue.uuid)
        case .decimal: DecimalText.canonical(text).map(PropertyValue.decimal)
        case .uri: .uri(text)
        case .binary, .transformable: Base64.decode(text).map(PropertyValue.binary)
        default: nil
        }
    }
}

extension PropertyValue {
    /// Reads `{"blob":"<sha256>","size":N}`, a reference to a file of the log folder.
    fileprivate init?(blobReference json: JSONValue) {
        guard case .object(let members) = json, members.count == 2,
            case .string(let hash)? = json["blob"], case .integer(let size)? = json["size"], size >= 0,
            isSHA256(hash)
        else { return nil }
        self = .blob(sha256: hash, size: size)
    }
}

extension Attribute {
    package func value(from json: JSONValue) -> PropertyValue? {
        guard type == .composite else { return valueType.scalarValue(from: json) }
        switch json {
        case .null: return .null
        case .object:
            guard let canonical = compositeObject(from: json) else { return nil }
            return .composite(canonical.text)
        default: return nil
        }
    }

    /// Returns the members sorted by key, each in its canonical form, without nulls.
    private func compositeObject(from json: JSONValue) -> JSONValue? {
        guard case .object(let members) = json else { return nil }
        var canonical: [JSONMember] = []
        for member in members.sorted(by: { $0.key.precedesByBytes($1.key) }) {
            guard let attribute = compositeAttributes.first(where: { $0.name == member.key }),
                canonical.last?.key != member.key
            else { return nil }
            if case .null = member.value { continue }
            if attribute.type == .composite {
                guard let object = attribute.compositeObject(from: member.value) else { return nil }
                canonical.append(JSONMember(key: member.key, value: object))
            } else {
                guard let value = attribute.type.scalarValue(from: member.value) else { return nil }
                canonical.append(JSONMember(key: member.key, value: value.json))
            }
        }
        return .object(canonical)
    }
}

extension Relationship {
    package func value(from json: JSONValue) -> PropertyValue? {
        guard !isToMany else { return nil }
        switch json {
        case .null: return .null
        case .string(let text): return UniqueID(text).map(PropertyValue.reference)
        default: return nil
        }
    }
}

extension Property {
    package func value(from json: JSONValue) -> PropertyValue? {
        switch self {
        case .attribute(let attribute): attribute.value(from: json)
        case .relationship(let relationship, _): relationship.value(from: json)
        }
    }

    /// `old` matters only for a counter; nil for a transient attribute or a relationship that the other end stores.
    package func write(from old: PropertyValue, to new: PropertyValue) -> PropertyWrite? {
        switch self {
        case .attribute(let attribute):
            guard attribute.isStored else { return nil }
            if attribute.mergeRule == .counter {
                return attribute.increment(by: CounterTotals.amount(from: old, to: new))
            }
        case .relationship(_, let storage): guard case .column = storage else { return nil }
        }
        return PropertyWrite(name: name, value: new.json)
    }
}

extension Entity {
    /// The values are used as the store keeps them, so that all spellings of a value give the same identifier.
    package func identifier(by names: [String], in writes: [PropertyWrite]) throws(IdentityError) -> UniqueID {
        var key: [String: PropertyValue] = [:]
        for name in names {
            guard let property = property(named: name) else {
                throw IdentityError(reason: "'identity' names '\(name)', which the entity '\(self.name)' does not have")
            }
            guard let write = writes.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw IdentityError(reason: "'identity' names '\(name)', which has no value here")
            }
            guard let value = property.value(from: write.value) else {
                let reason = deferralReason(of: write, isInsert: true) ?? "an increment identifies nothing"
                throw IdentityError(reason: "'identity' names '\(name)': \(reason)")
            }
            guard value.isKeyPart else {
                let found = value.kindName
                throw IdentityError(
                    reason: "'identity' names '\(name)', which must be a string, an integer or a boolean, not \(found)"
                )
            }
            key[name] = value
        }
        guard let id = UniqueID(entity: self.name, key: key) else {
            throw IdentityError(reason: "'identity' names no property")
        }
        return id
    }
}

package struct IdentityError: Error {
    package let reason: String
}
