package import TributaryChanges

extension Entity {
    /// Returns why the store defers a write; nil when the model can represent the value.
    package func deferralReason(of write: PropertyWrite, isInsert: Bool) -> String? {
        let qualifiedName = "\(name).\(write.name)"
        switch property(named: write.name) {
        case nil: return "the model has no property '\(qualifiedName)'"
        case .attribute(let attribute)?:
            guard attribute.isStored else { return "'\(qualifiedName)' is transient: it is not stored" }
            if attribute.mergeRule == .counter {
                return attribute.counterFault(write.value, qualifiedName: qualifiedName, isInsert: isInsert)
            }
            guard attribute.value(from: write.value) == nil else { return nil }
            let value = write.value.shortText
            return "'\(qualifiedName)' is of type \(attribute.type.rawValue), which \(value) does not fit: "
                + attribute.writingRule
        case .relationship(let relationship, _)?:
            guard !relationship.isToMany else { return "'\(qualifiedName)' is to-many: use link and unlink" }
            guard write.value != .null, relationship.value(from: write.value) == nil else { return nil }
            return "'\(qualifiedName)' is a relationship to \(relationship.destination), not \(write.value.shortText): "
                + "write the UUID of an object as a string"
        }
    }

    package func deferralReason(ofLinkTo relationship: String) -> String? {
        guard let found = property(named: relationship)?.relationship else {
            return "the model has no relationship '\(name).\(relationship)'"
        }
        return found.isToMany ? nil : "'\(name).\(relationship)' is to-one: write it as a value"
    }

    /// Mandatory properties without a default that the inverse relationship does not fill in.
    package var propertiesToBeGiven: [String] {
        properties.compactMap { property in
            switch property {
            case .attribute(let attribute):
                let isGiven =
                    attribute.isOptional || !attribute.isStored || attribute.derivationExpression != nil
                    || attribute.defaultValue != .null || attribute.mergeRule == .counter
                return isGiven ? nil : attribute.name
            case .relationship(let relationship, .column):
                return relationship.isOptional || relationship.isToMany ? nil : relationship.name
            case .relationship: return nil
            }
        }
    }
}

extension Attribute {
    fileprivate func counterFault(_ json: JSONValue, qualifiedName: String, isInsert: Bool) -> String? {
        if isInsert && json == .null || type.amount(ofWrite: json, isInsert: isInsert) != nil { return nil }
        guard let increment = json.increment else { return "'\(qualifiedName)' is a counter: write {\"increment\":N}" }
        return "the increment of '\(qualifiedName)' is \(increment.shortText): \(writingRule)"
    }
}

extension AttributeType {
    /// Nil when the value does not fit; the totals of integers have 64 bits, whatever the size of the type.
    package func amount(from json: JSONValue) -> PropertyValue? {
        switch CounterTotals.number(json) {
        case .integer(let value)?: isInteger ? .integer(value) : .double(Double(value))
        case let number?: isInteger ? nil : number
        case nil: nil
        }
    }

    /// Returns the N of `{"increment":N}`, or the plain number of an insert; nil for a write that the store defers.
    package func amount(ofWrite json: JSONValue, isInsert: Bool) -> PropertyValue? {
        if let increment = json.increment { return amount(from: increment) }
        return isInsert ? amount(from: json) : nil
    }
}

extension AttributeType {
    fileprivate var range: String {
        switch self {
        case .integer16, .integer32, .integer64:
            integerRange.map { "from \($0.lowerBound) to \($0.upperBound)" } ?? ""
        case .double: "from \(-Double.greatestFiniteMagnitude) to \(Double.greatestFiniteMagnitude)"
        case .float: "from \(-Float.greatestFiniteMagnitude) to \(Float.greatestFiniteMagnitude)"
        default: ""
        }
    }

    fileprivate func expectation(refusing value: PropertyValue) -> String {
        switch (self, value) {
        case (.integer16, .integer), (.integer32, .integer), (.double, .double), (.float, .double):
            "\(rawValue) \(range)"
        default: rawValue
        }
    }
}

extension Attribute {
    package func expectation(refusing value: PropertyValue) -> String {
        guard case .composite = value, type == .composite else { return valueType.expectation(refusing: value) }
        return "a composite of \(members)"
    }

    fileprivate var writingRule: String {
        switch valueType {
        case .string, .uri: "write a string"
        case .integer16, .integer32, .integer64: "write an integer \(valueType.range)"
        case .boolean: "write true or false"
        case .date: "write the seconds since 1970 as a number that a double holds"
        case .binary, .transformable: "write the bytes in base64 as a string"
        case .double, .float: "write a number \(valueType.range)"
        case .decimal: "write the number as a string, such as \"12.50\""
        case .uuid: "write the UUID as a string"
        case .composite: "write an object of \(members)"
        case .undefined: "it has no values in the log"
        }
    }

    private var members: String {
        compositeAttributes.map { "\($0.name) (\($0.type.rawValue))" }.joined(separator: ", ")
    }
}

extension JSONValue {
    package var shortText: String {
        let text = text
        return text.count > 60 ? "\(text.prefix(60))…" : text
    }
}
