import StoreTestSupport
import TestSupport
import TributaryChanges

/// Random transactions of a few writers on a few objects, with clocks from a coarse grid so that ties happen.
struct RandomSchedule {
    private(set) var transactions: [ForeignTransaction] = []

    init(
        writers: Int,
        each count: Int,
        using generator: inout SeededGenerator,
        _ makeChange: (inout SeededGenerator) -> Change = RandomSchedule.change
    ) {
        for writer in 1...writers {
            var clock: UInt64 = 0
            for sequence in 1...count {
                clock += UInt64.random(in: 1...3, using: &generator)
                let changes = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                    makeChange(&generator)
                }
                transactions.append(ForeignTransaction(writer, UInt64(sequence), clock: clock, changes))
            }
        }
    }

    /// All transactions in random order, with each writer's transactions in sequence.
    func interleaving(using generator: inout SeededGenerator) -> [ForeignTransaction] {
        transactions.interleaved(using: &generator)
    }

    static func change(_ generator: inout SeededGenerator) -> Change {
        func pick(_ ids: ClosedRange<Int>) -> Int { Int.random(in: ids, using: &generator) }
        func number() -> JSONValue { .integer(Int64.random(in: 0...9, using: &generator)) }
        func text() -> JSONValue { .string(["a", "b", "c"].randomElement(using: &generator) ?? "a") }
        func to(_ ids: ClosedRange<Int>) -> JSONValue { pick(0...3) == 0 ? .null : .to(pick(ids)) }
        let person = pick(1...3)
        let project = pick(31...32)
        switch Int.random(in: 0..<29, using: &generator) {
        case 0: return .insert("Employee", person, ["name": text(), "salary": number(), "visits": number()])
        case 1: return .insert("Employee", person, ["department": to(11...12), "boss": to(1...3), "best": number()])
        case 2: return .insert("Person", person, ["name": text(), "passport": to(21...22)])
        case 3: return .update("Employee", person, ["name": text(), "best": number(), "least": number()])
        case 4: return .update("Person", person, ["nick": text()])
        case 5: return .update("Employee", person, ["department": to(11...12)])
        case 6: return .update("Employee", person, ["visits": .increment(Int64(pick(1...5))), "boss": to(1...3)])
        case 7: return .delete("Person", person)
        case 8: return .delete("Employee", person)
        case 9: return .insert("Department", pick(11...12), ["title": text()])
        case 10: return .delete("Department", pick(11...12))
        case 11: return .link("Department", pick(11...12), "employees", [pick(1...3), pick(1...3)])
        case 12: return .unlink("Department", pick(11...12), "employees", [pick(1...3)])
        case 13: return .insert("Passport", pick(21...22), ["number": number(), "owner": to(1...3)])
        case 14: return .update("Passport", pick(21...22), ["owner": to(1...3)])
        case 15: return .delete("Passport", pick(21...22))
        case 16: return .update("Person", person, ["passport": to(21...22)])
        case 17: return .insert("Project", project, ["name": text()])
        case 18: return .delete("Project", project)
        case 19: return .link("Project", project, "people", [pick(1...3), pick(1...3)])
        case 20: return .unlink("Person", person, "projects", [project])
        case 21: return .insert("Tag", pick(41...42))
        case 22: return .link("Project", project, "tags", [pick(41...42)], at: [pick(0...1) == 0 ? "m" : "n"])
        default: return unknown(&generator)
        }
    }

    /// Whether only the grown model can represent a change, or a part of it.
    static func isUnknown(_ change: Change) -> Bool {
        if ["Unknown", "Label"].contains(change.entity) { return true }
        return switch change.operation {
        case .insert(let writes), .update(let writes):
            writes.contains { ["what", "points", "peak", "tag"].contains($0.name) }
        case .link(let name, _, _), .unlink(let name, _): name == "friends"
        case .delete: false
        }
    }

    /// A change that only the grown model can represent.
    private static func unknown(_ generator: inout SeededGenerator) -> Change {
        func pick(_ ids: ClosedRange<Int>) -> Int { Int.random(in: ids, using: &generator) }
        func number() -> JSONValue { .integer(Int64.random(in: 0...9, using: &generator)) }
        switch pick(0...9) {
        case 0: return .insert("Unknown", pick(51...52), ["what": number(), "person": .to(pick(1...3))])
        case 1: return .update("Unknown", pick(51...52), ["what": number()])
        case 2: return .delete("Unknown", pick(51...52))
        case 3: return .insert("Label", pick(43...44), ["text": "t", "isOn": .boolean(false)])
        case 4: return .link("Person", pick(1...3), "friends", [pick(1...3)])
        case 5: return .unlink("Person", pick(1...3), "friends", [pick(1...3)])
        case 6: return .update("Person", pick(1...3), ["points": .increment(Int64(pick(1...9))), "peak": number()])
        case 7: return .insert("Person", pick(1...3), ["points": number(), "what": "w", "tag": .to(pick(41...44))])
        case 8: return .update("Employee", pick(1...3), ["tag": .to(pick(41...44)), "name": number()])
        default: return .update("Person", pick(1...3), ["what": "u"])
        }
    }
}
