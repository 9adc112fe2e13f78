package import TributaryChanges

/// Random changes to the few objects of the simulation's model.
package struct ChangeGenerator {
    package var random: SeededGenerator
    private var value = 0
    /// The index of the one object of each entity that the transaction concerns; nil for all objects.
    private var focus: Int?
    /// Whether texts are few, so that objects share them.
    private let sharesTexts: Bool

    package init(_ random: SeededGenerator, sharesTexts: Bool = false) {
        self.random = random
        self.sharesTexts = sharesTexts
    }

    /// Changes that a store's own programs may save (`isKnown`), or any changes that a segment may contain.
    package mutating func changes(isKnown: Bool) -> [Change] {
        // Half of the transactions concern one object of each kind, so that their changes interact.
        focus = number(0...1) == 0 ? number(0...2) : nil
        let changes = (0..<number(0...(number(0...7) == 0 ? 14 : 4))).map { _ in change(isKnown: isKnown) }
        // Programs may save in any order.
        return isKnown ? changes : changes.deletionsFirst
    }

    private mutating func object(_ entity: String) -> UniqueID {
        let all = SimulationModel.ids(of: entity)
        guard let focus, number(0...7) > 0 else { return pick(all) }
        return all[focus % all.count]
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func pick<T>(_ list: [T]) -> T { list[number(0...(list.count - 1))] }

    private mutating func change(isKnown: Bool) -> Change {
        if !isKnown, number(0...(focus == nil ? 9 : 3)) == 0 { return unknown() }
        let entity = pick(["Person", "Employee", "Person", "Manager", "Department", "Project", "Desk"])
        return change(of: entity, isKnown: isKnown)
    }

    private mutating func change(of entity: String, isKnown: Bool) -> Change {
        let id = object(entity)
        let operation: Change.Operation
        switch number(0...9) {
        case 0...2: operation = .insert(writes(entity, isAll: number(0...1) == 0, isInsert: true, isKnown: isKnown))
        case 3...5: operation = .update(writes(entity, isAll: false, isInsert: false, isKnown: isKnown))
        case 6: operation = .delete
        default: operation = link(entity) ?? .delete
        }
        return Change(entity: entity, id: id, operation: operation)
    }

    /// A change that only the grown model can represent.
    private mutating func unknown() -> Change {
        let person = object("Person")
        let ghost = pick(SimulationModel.ids(of: "Ghost"))
        value += 1
        let name = PropertyWrite(name: "name", value: .string("v\(value)"))
        switch number(0...9) {
        case 0...2: return change(of: "Contractor", isKnown: false)
        case 3: return change(of: pick(["Person", "Desk"]), writing: [pick(["locker", "level", "alias"])])
        case 4: return Change(entity: "Ghost", id: ghost, operation: .insert([name]))
        case 5: return Change(entity: "Ghost", id: ghost, operation: .update([name]))
        case 6: return Change(entity: "Ghost", id: ghost, operation: .delete)
        case 7:
            let write = PropertyWrite(name: "ghost", value: .string(ghost.description))
            return Change(entity: "Person", id: person, operation: .update([write]))
        case 8: return Change(entity: "Person", id: person, operation: .unlink(to: "rivals", ids: [object("Person")]))
        default:
            return Change(
                entity: "Person",
                id: person,
                operation: .link(to: "rivals", ids: [object("Person")], positions: nil)
            )
        }
    }

    private mutating func change(of entity: String, writing names: [String]) -> Change {
        let names = entity == "Desk" ? ["keeper"] : names
        let writes = names.map { name in
            PropertyWrite(name: name, value: write(name, isInsert: false, isKnown: false) ?? .null)
        }
        return Change(entity: entity, id: object(entity), operation: .update(writes))
    }

    private mutating func link(_ entity: String) -> Change.Operation? {
        let name: String
        let destination: String
        switch entity {
        case "Person", "Employee", "Manager", "Contractor":
            (name, destination) = pick([("projects", "Project"), ("friends", "Person"), ("visited", "Department")])
        case "Department": (name, destination) = ("employees", "Person")
        case "Project": (name, destination) = ("members", "Person")
        default: return nil
        }
        let all = SimulationModel.ids(of: destination)
        let ids = Array(all.shuffled(using: &random).prefix(number(1...2)))
        if number(0...2) == 0 { return .unlink(to: name, ids: ids) }
        let positions =
            ["members", "employees"].contains(name) && number(0...3) > 0 ? ids.map { _ in pick(["a", "b", "c"]) } : nil
        return .link(to: name, ids: ids, positions: positions)
    }

    private mutating func writes(_ entity: String, isAll: Bool, isInsert: Bool, isKnown: Bool) -> [PropertyWrite] {
        var names: [String]
        switch entity {
        case "Person", "Employee", "Manager", "Contractor":
            names = ["name", "age", "best", "least", "tally", "department", "desk", "mentor", "level", "score"]
            if entity != "Person" { names.append("title") }
            if entity == "Contractor" { names += ["fee", "agency"] }
            if !isKnown { names.append("nick") }
        case "Department": names = ["title"]
        case "Project": names = ["name"]
        default: names = ["label", "owner"]
        }
        if !isAll { names = Array(names.shuffled(using: &random).prefix(number(0...3))) }
        var writes: [PropertyWrite] = []
        for name in names {
            if let value = write(name, isInsert: isInsert, isKnown: isKnown) {
                writes.append(PropertyWrite(name: name, value: value))
            }
        }
        if !isKnown, number(0...9) == 0 {
            writes.append(PropertyWrite(name: "nope", value: .integer(Int64(number(0...9)))))
        }
        return writes
    }

    private mutating func write(_ name: String, isInsert: Bool, isKnown: Bool) -> JSONValue? {
        if !isKnown, number(0...14) == 0 {
            return pick([.array([]), .unrepresentable("9223372036854775808"), .boolean(true), .double(0.5)])
        }
        value += 1
        switch name {
        case "tally":
            let amount = JSONValue.integer(Int64(number(-3...3)))
            return isInsert && number(0...1) == 0 ? amount : .object([JSONMember(key: "increment", value: amount)])
        case "score":
            // Sums of these numbers that are rounded after each addition depend on the order.
            let amount = JSONValue.double(pick([0.1, 0.2, 0.3, -0.7, 1e16]))
            return isInsert && number(0...1) == 0 ? amount : .object([JSONMember(key: "increment", value: amount)])
        case "level":
            if !isKnown, number(0...2) == 0 { return .integer(70_000 + Int64(value)) }
            return .integer(Int64(number(-9...9)))
        case "age", "best", "least", "fee": return number(0...5) == 0 ? .null : .integer(Int64(number(-9...9)))
        case "department", "agency": return reference("Department")
        case "desk", "locker": return reference("Desk")
        case "mentor", "owner", "keeper": return reference("Person")
        default:
            if sharesTexts, number(0...9) > 0 { return .string(pick(["a", "b", "c"])) }
            return number(0...7) == 0 ? .null : .string("v\(value)")
        }
    }

    private mutating func reference(_ entity: String) -> JSONValue {
        number(0...4) == 0 ? .null : .string(object(entity).description)
    }
}

extension [Change] {
    /// The changes in an order that a transaction of the log may have.
    package var deletionsFirst: [Change] { filter { $0.operation == .delete } + filter { $0.operation != .delete } }
}
