package import TributaryChanges

package struct Conflict: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case value
        case link
        case object
    }

    package enum Rule: Sendable, Hashable {
        case property(MergeRule)
        case deletion
        case oneToOne
        case uniqueness

        package var name: String {
            switch self {
            case .property(let rule): rule.rawValue
            case .deletion: "deletion"
            case .oneToOne: "one-to-one"
            case .uniqueness: "uniqueness"
            }
        }

        init?(name: String) {
            let others = [Rule.deletion, .oneToOne, .uniqueness]
            guard let rule = MergeRule(rawValue: name).map(Rule.property) ?? others.first(where: { $0.name == name })
            else { return nil }
            self = rule
        }
    }

    package struct Write: Sendable, Hashable {
        package var version: Version
        package var sequence: UInt64
        package var writerName: String?
        package var value: JSONValue?
    }

    package var number: Int64
    /// Unix seconds.
    package var foundAt: Double
    package var kind: Kind
    package var rule: Rule
    package var entity: String
    package var id: UniqueID
    package var property: String
    package var losing: Write
    package var winning: Write
    package var object: JSONValue?
    package var restored: Int64?
}

package struct ConflictCounts: Sendable, Hashable {
    package var kept: Int
    package var dropped: Int
}
