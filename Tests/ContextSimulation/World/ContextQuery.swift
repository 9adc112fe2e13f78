import Tributary
import TributaryChanges

/// A fetch request, and what it means for a state of the oracle.
struct ContextQuery: Sendable {
    let entity: Int
    var predicate: String?
    var sort = "name"
    var isAscending = true
    var matches: @Sendable (OracleState, Int) -> Bool = { _, _ in true }

    private static func value(_ state: OracleState, _ object: Int, _ name: String) -> PropertyValue {
        guard let property = ContextModel.property(object, name) else { return .null }
        return state.value(Cell(object: object, property: property))
    }

    private static func members(_ state: OracleState, _ object: Int, _ name: String) -> [Int] {
        guard let property = ContextModel.property(object, name) else { return [] }
        return state.members(object, property)
    }

    static let all = [
        // The results controllers follow the first one.
        ContextQuery(entity: ContextModel.item),
        ContextQuery(entity: ContextModel.item, predicate: "stock >= 12", sort: "stock", isAscending: false) {
            if case .integer(let stock) = value($0, $1, "stock") { stock >= 12 } else { false }
        },
        ContextQuery(entity: ContextModel.item, predicate: "name == NULL", sort: "colour") {
            value($0, $1, "name") == .null
        },
        ContextQuery(entity: ContextModel.item, predicate: "shelf != NULL AND shelf.name != NULL", sort: "weight") {
            guard case .reference(let id) = value($0, $1, "shelf") else { return false }
            return value($0, ContextModel.object(id), "name") != .null
        },
        ContextQuery(entity: ContextModel.item, predicate: "tags.@count > 0", isAscending: false) {
            !members($0, $1, "tags").isEmpty
        },
        ContextQuery(entity: ContextModel.shelf, predicate: "items.@count == 0") { members($0, $1, "items").isEmpty },
        ContextQuery(entity: ContextModel.tag, predicate: "ANY items.colour == 'red'") { state, tag in
            members(state, tag, "items").contains { value(state, $0, "colour") == .string("red") }
        },
        ContextQuery(entity: ContextModel.shelf, predicate: "ANY items.stock < 12") { state, shelf in
            members(state, shelf, "items").contains { item in
                if case .integer(let stock) = value(state, item, "stock") { stock < 12 } else { false }
            }
        },
        ContextQuery(entity: ContextModel.item, predicate: "peak > 20", sort: "seen", isAscending: false) {
            if case .integer(let peak) = value($0, $1, "peak") { peak > 20 } else { false }
        },
        ContextQuery(entity: ContextModel.item, predicate: "label.code == 'n1' OR spot.bay == 3", sort: "first") {
            if value($0, $1, "spot") == ContextModel.spot(3) { return true }
            guard case .reference(let id) = value($0, $1, "label") else { return false }
            return value($0, ContextModel.object(id), "code") == .string("n1")
        },
        ContextQuery(entity: ContextModel.item, predicate: "photo != NULL", sort: "weight") {
            value($0, $1, "photo") != .null
        },
        ContextQuery(entity: ContextModel.label, predicate: "items.@count > 0 OR hits > 0", sort: "code") {
            if case .integer(let hits) = value($0, $1, "hits"), hits > 0 { return true }
            return !members($0, $1, "items").isEmpty
        },
    ]

    /// The query of a step: numbers from 100 on are those of queries without unsaved changes.
    static func numbered(_ number: Int) -> ContextQuery { all[number % 100 % all.count] }

    func request() throws -> FetchRequest<ManagedObject> {
        FetchRequest(
            ContextModel.entities[entity].name,
            predicate: try predicate.map { try ObjectPredicate(parsing: $0) },
            sortKeys: [SortKey(sort, ascending: isAscending)]
        )
    }

    /// The objects of a state that match, and the values by which they are sorted.
    func result(in state: OracleState) -> (objects: [Int], keys: [PropertyValue]) {
        var state = state
        // To a condition an object that is deleted is not there.
        state.lingering = []
        let found = state.rows.keys.filter { ContextModel.entity(of: $0) == entity && matches(state, $0) }.sorted()
        let keys = found.map { ContextQuery.value(state, $0, sort) }
        return (found, keys.sorted { isAscending ? ContextQuery.isLess($0, $1) : ContextQuery.isLess($1, $0) })
    }

    /// Null comes before every value.
    private static func isLess(_ first: PropertyValue, _ second: PropertyValue) -> Bool {
        switch (first, second) {
        case (.null, .null): false
        case (.null, _): true
        case (.string(let first), .string(let second)): Array(first.utf8).lexicographicallyPrecedes(Array(second.utf8))
        case (.integer(let first), .integer(let second)): first < second
        case (.double(let first), .double(let second)): first < second
        case (.date(let first), .date(let second)):
            first.secondsSinceReferenceDate < second.secondsSinceReferenceDate
        default: false
        }
    }
}
