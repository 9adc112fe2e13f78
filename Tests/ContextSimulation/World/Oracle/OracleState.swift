import TributaryChanges

/// An attribute or a to-one relationship of an object.
struct Cell: Hashable {
    var object: Int
    var property: Int
}

/// An item and a tag that are linked.
struct Pair: Hashable {
    var item: Int
    var tag: Int

    func has(_ object: Int) -> Bool { item == object || tag == object }
}

/// A state of the store, or of a context: values without any registry, fault or cache.
struct OracleState {
    /// The written registers of the live objects.
    ///
    /// A register may name an object that is not live.
    var rows: [Int: [Int: PropertyValue]] = [:]
    /// The sums of all increments of the counters; a deletion keeps them.
    var totals: [Cell: PropertyValue] = [:]
    /// The greatest and least values that were ever written; a deletion keeps them.
    var extremes: [Cell: PropertyValue] = [:]
    var pairs: Set<Pair> = []
    /// The number of the last transaction that wrote a claim; of several claims to a target the last one stands.
    var claims: [Cell: Int] = [:]
    /// The number of the last transaction that wrote the object.
    var revisions: [Int: Int] = [:]
    /// The to-many relationships of deleted objects whose other ends still show the deleted object.
    var lingering: Set<Cell> = []
    /// The stored positions in the rows of shelves, also of items that are elsewhere by now.
    var positions: [Slot: String] = [:]
    /// The unsaved orders of a context; nil for a state of the store.
    var orders: [Int: OracleOrder]?
    /// The rows that the parent of a context shows; nil above the store.
    var rowsAbove: [Int: [Int]]?

    func has(_ object: Int) -> Bool { rows[object] != nil }

    /// The state as it is read: without pairs of objects that are gone, and without references that show nothing.
    var visible: OracleState {
        var state = self
        state.pairs = pairs.filter { has($0.item) && has($0.tag) }
        for (object, values) in rows {
            for case (let property, .reference) in values {
                guard value(Cell(object: object, property: property)) == .null else { continue }
                state.rows[object]?[property] = .null
            }
        }
        return state
    }

    private func isShown(_ object: Int, at inverse: Int) -> Bool {
        has(object) || lingering.contains(Cell(object: object, property: inverse))
    }

    /// The value that the property of a live object shows; a register of a missing object reads as null.
    func value(_ cell: Cell) -> PropertyValue {
        let property = ContextModel.properties(cell.object)[cell.property]
        let written = rows[cell.object]?[cell.property]
        switch property.kind {
        case .attribute(.counter, let start): return start.adding(totals[cell] ?? start.zero)
        case .attribute(_, let start): return written ?? start
        case .toOne(_, let inverse):
            guard case .reference(let id)? = written, isShown(ContextModel.object(id), at: inverse) else {
                return .null
            }
            return .reference(id)
        case .claim(_, let inverse):
            guard case .reference(let id)? = written, isShown(ContextModel.object(id), at: inverse),
                owner(of: ContextModel.object(id), cell.property) == cell.object
            else { return .null }
            return .reference(id)
        case .owner(_, let claim):
            return owner(of: cell.object, claim).map { .reference(ContextModel.id($0)) } ?? .null
        case .toMany, .pairs: return .null
        }
    }

    /// The live object whose claim to the target was written last.
    func owner(of target: Int, _ claim: Int) -> Int? {
        holders(of: target, claim).max { first, second in
            let numbers = [first, second].map { claims[Cell(object: $0, property: claim)] ?? 0 }
            return (numbers[0], first) < (numbers[1], second)
        }
    }

    func members(_ object: Int, _ property: Int) -> [Int] {
        switch ContextModel.properties(object)[property].kind {
        case .toMany(_, let inverse): holders(of: object, inverse)
        case .pairs:
            pairs.filter { $0.has(object) }.map { $0.item == object ? $0.tag : $0.item }
                .filter { isShown($0, at: ContextModel.entity(of: $0) == ContextModel.tag ? 1 : 5) }.sorted()
        case .attribute, .toOne, .claim, .owner: []
        }
    }

    /// The live objects whose register has the object.
    func holders(of object: Int, _ property: Int) -> [Int] {
        let reference = PropertyValue.reference(ContextModel.id(object))
        return rows.filter { $0.value[property] == reference && ContextModel.entity(of: $0.key) == ContextModel.item }
            .map(\.key).sorted()
    }

    var lines: [String] {
        rows.keys.sorted().map { object in
            let properties = ContextModel.properties(object)
            let words = properties.enumerated().map { index, property in
                switch property.kind {
                case .attribute, .toOne, .claim, .owner:
                    "\(property.name)=\(ContextModel.text(value(Cell(object: object, property: index))))"
                case .toMany, .pairs:
                    "\(property.name)=\((property.name == "row" ? row(object) : members(object, index)).map(ContextModel.name))"
                }
            }
            return "\(ContextModel.name(object)) \(words.joined(separator: " "))"
        }
    }
}

extension PropertyValue {
    var zero: PropertyValue {
        if case .double = self { .double(0) } else { .integer(0) }
    }

    var isZero: Bool { self == .integer(0) || self == .double(0) }

    func adding(_ other: PropertyValue) -> PropertyValue {
        switch (self, other) {
        case (.integer(let first), .integer(let second)): .integer(first &+ second)
        case (.double(let first), .double(let second)): .double(first + second)
        default: other
        }
    }

    func subtracting(_ other: PropertyValue) -> PropertyValue {
        switch (self, other) {
        case (.integer(let first), .integer(let second)): .integer(first &- second)
        case (.double(let first), .double(let second)): .double(first - second)
        default: self
        }
    }
}
