/// The merge rules of the store that wrote a baseline, as text: by root entity, entity and property.
///
/// Another store can join the baseline when it merges the properties that it knows by the same rules.
package struct BaselineRules: Hashable, Sendable {
    package typealias Entities = [String: [String: String]]

    package var roots: [String: Entities]

    package init(_ roots: [String: Entities] = [:]) { self.roots = roots }

    /// Reads the header's form; nil for any other value.
    package init?(_ json: JSONValue) {
        func members<T>(_ json: JSONValue, _ read: (JSONValue) -> T?) -> [String: T]? {
            guard case .object(let members) = json else { return nil }
            var found: [String: T] = [:]
            for member in members {
                guard let value = read(member.value) else { return nil }
                found[member.key] = value
            }
            return found
        }
        func text(_ json: JSONValue) -> String? { if case .string(let text) = json { text } else { nil } }
        guard let roots = members(json, { members($0) { members($0, text) } }) else { return nil }
        self.roots = roots
    }

    package var json: JSONValue {
        func object<T>(_ members: [String: T], _ json: (T) -> JSONValue) -> JSONValue {
            .object(
                members.sorted { $0.key.precedesByBytes($1.key) }.map { JSONMember(key: $0.key, value: json($0.value)) }
            )
        }
        return object(roots) { object($0) { object($0, JSONValue.string) } }
    }

    /// Adds the rules of properties that have none here.
    package mutating func add(_ other: BaselineRules) {
        for (root, entities) in other.roots {
            for (entity, rules) in entities {
                roots[root, default: [:]][entity, default: [:]].merge(rules) { own, _ in own }
            }
        }
    }
}
