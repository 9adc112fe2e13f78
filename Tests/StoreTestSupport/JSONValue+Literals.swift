package import TributaryChanges

extension JSONValue {
    /// A reference to a sample object.
    package static func to(_ id: Int) -> JSONValue { .string(UniqueID.sample(id).description) }

    package static func increment(_ amount: Int64) -> JSONValue {
        .object([JSONMember(key: "increment", value: .integer(amount))])
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByFloatLiteral, ExpressibleByNilLiteral {
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(nilLiteral: ()) { self = .null }
}
