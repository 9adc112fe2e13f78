import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Unique keys with a to-one relationship: they have the object that a register holds, whether the column shows it or not.
@Suite struct ReferenceKeyTests {
    private static func makeModel(version: String = "1") throws -> Model {
        try Model(
            yaml: """
                version: "\(version)"
                entities:
                  Folder:
                    unique: [[parent, name], [code]]
                    attributes: {name: String?, code: String?\(version == "1" ? "" : ", note: String?")}
                    relationships:
                      parent: {to: Folder?, inverse: children}
                      children: {to: Folder, many: true, inverse: parent}
                """
        )
    }

    @Test func `two machines that add one name to one folder show the older object`() throws {
        let transactions = [
            ForeignTransaction(1, 1, clock: 1, .insert("Folder", 1, ["code": "root"])),
            ForeignTransaction(2, 1, clock: 2, .insert("Folder", 2, ["name": "a", "parent": .to(1)])),
            ForeignTransaction(3, 1, clock: 3, .insert("Folder", 3, ["name": "a", "parent": .to(1)])),
            ForeignTransaction(4, 1, clock: 4, .insert("Folder", 4, ["name": "b", "parent": .to(1)])),
            ForeignTransaction(5, 1, clock: 5, .insert("Folder", 5, ["name": "a"])),
        ]
        for order in transactions.permutations {
            let replica = try Replica(Self.makeModel())
            try replica.apply(order)
            let visible = try (1...5).filter { try replica.values("Folder", .sample($0)) != nil }
            #expect(visible == [1, 2, 4, 5], "\(order)")
        }
    }

    @Test func `a batch finds the holder of a key that waits for its parent`() throws {
        let replica = try Replica(Self.makeModel())
        try replica.apply([ForeignTransaction(1, 1, clock: 1, .insert("Folder", 2, ["name": "a", "parent": .to(1)]))])
        func insert(_ collision: BatchTerms.Collision) throws -> Int {
            let terms = BatchTerms(author: nil, contextName: nil, collision: collision, listsIDs: true)
            let row: [String: PropertyValue] = ["name": .string("a"), "parent": .reference(.sample(1))]
            return try replica.store.write { write in
                var rows = [row]
                return try write.batches.insert(into: "Folder", terms: terms) { next in
                    guard let row = rows.popLast() else { return true }
                    next = row
                    return false
                }.count
            }
        }
        #expect(throws: BatchError.self) { _ = try insert(.refuse) }
        #expect(try insert(.skip) == 0)
        #expect(try replica.count("Folder") == 1)
        #expect(try insert(.update) == 1)
        #expect(try replica.count("Folder") == 1)
    }

    /// The second root is a shadow of the first, so both children show the first root as their parent.
    @Test func `a batch compares the registers of a key, not the objects that columns show`() throws {
        let replica = try Replica(Self.makeModel())
        try replica.apply([
            ForeignTransaction(1, 1, clock: 1, .insert("Folder", 1, ["code": "root"])),
            ForeignTransaction(2, 1, clock: 2, .insert("Folder", 2, ["code": "root"])),
            ForeignTransaction(3, 1, clock: 3, .insert("Folder", 3, ["name": "a", "parent": .to(1)])),
            ForeignTransaction(4, 1, clock: 4, .insert("Folder", 4, ["name": "b", "parent": .to(2)])),
            ForeignTransaction(5, 1, clock: 5, .insert("Folder", 5, ["name": "d", "parent": .to(1)])),
        ])
        func rename(_ predicate: String) throws -> Int {
            let entity = try #require(replica.store.model.entity(named: "Folder"))
            let terms = BatchTerms(author: nil, contextName: nil, collision: .refuse, listsIDs: true)
            return try replica.store.write { write in
                let query = FetchQuery(entity: entity, predicate: try ObjectPredicate(parsing: predicate))
                return try write.batches.update(query, setting: ["name": .value(.string("c"))], terms: terms).count
            }
        }
        #expect(try rename("name == 'a' OR name == 'b'") == 2)
        #expect(try replica.count("Folder") == 4)
        #expect(throws: BatchError.self) { _ = try rename("name == 'd'") }
    }

    private func steps(of transactions: [[Change]], in replica: Replica) throws -> Int {
        try replica.steps { write in
            for (number, changes) in zip(UInt64(1)..., transactions) {
                try write.apply(ForeignTransaction(1, number, clock: number, changes))
            }
        }
    }

    /// In instructions of SQLite's virtual machine: the children come before their parent, which is deleted at last.
    @Test func `the cost of children that wait for their parent is linear`() throws {
        let counts = try [1_000, 2_000, 4_000].map { count in
            let replica = try Replica(Self.makeModel())
            let transactions = [
                (1...count).map { Change.insert("Folder", $0, ["name": .string("k\($0)"), "parent": .to(0)]) },
                [.insert("Folder", 0, ["name": "parent"])], [.delete("Folder", 0)],
                [.update("Folder", 1, ["name": "k2"]), .update("Folder", 3, ["parent": nil])],
            ]
            let steps = try steps(of: transactions, in: replica)
            #expect(try replica.values("Folder", .sample(2)) == nil)
            #expect(try replica.count("Folder") == count - 1)
            return steps
        }
        #expect(counts[1] <= 3 * counts[0] && counts[2] <= 3 * counts[1], "\(counts)")
    }

    /// Whether the parent is there or not; each transaction after the first one adds one object with the key.
    @Test(arguments: [false, true]) func `the cost of objects that share a key is linear`(hasParent: Bool) throws {
        let counts = try [1_000, 2_000, 4_000].map { count in
            let replica = try Replica(Self.makeModel())
            func child(_ number: Int) -> Change { .insert("Folder", number, ["name": "k", "parent": .to(0)]) }
            var transactions = [(1...count).map(child)] + (1...100).map { [child(count + $0)] }
            if hasParent { transactions[0].append(.insert("Folder", 0, ["name": "parent"])) }
            let steps = try steps(of: transactions, in: replica)
            #expect(try replica.count("Folder") == (hasParent ? 2 : 1))
            return steps
        }
        #expect(counts[1] <= 3 * counts[0] && counts[2] <= 3 * counts[1], "\(counts)")
    }

    @Test(.timeLimit(.minutes(30)))
    func `stores show what the pure rule says, in whatever order and pieces the transactions come`() throws {
        var generator = SeededGenerator.printingSeed()
        var (shadowCount, waitingCount) = (0, 0)
        for round in LongProofs.rounds(25) {
            let transactions = schedule(&generator)
            let rule = FolderRule(transactions)
            shadowCount += rule.representatives.count
            var states: Set<String> = []
            for _ in 0..<3 {
                let replica = try Replica(Self.makeModel())
                var rest = transactions.interleaved(using: &generator)[...]
                while !rest.isEmpty {
                    let size = Int.random(in: 1...rest.count, using: &generator)
                    try replica.apply(
                        together: Array(rest.prefix(size)),
                        slice: Int.random(in: 1...4, using: &generator)
                    )
                    rest = rest.dropFirst(size)
                    guard Int.random(in: 0...3, using: &generator) == 0 else { continue }
                    switch Int.random(in: 0...1, using: &generator) {
                    case 0: try replica.reopen(Self.makeModel(version: "2"))
                    default:
                        // What a program without keys of relationships has left.
                        try PlainSQL(path: replica.path).execute(
                            """
                            UPDATE tributary_setting SET value = '[["Folder","code"]]'
                            WHERE key = 'uniqueness.constraints';
                            DELETE FROM tributary_shadow_key WHERE id IN (SELECT _id FROM Folder)
                            """
                        )
                        try replica.reopen(replica.store.model)
                    }
                }
                for number in FolderRule.numbers {
                    let folder = try replica.values("Folder", .sample(number))
                    let expected = rule.shown(number)
                    let found = folder.map { [$0["name"], $0["parent"], $0["code"]] }
                    guard found != expected else { continue }
                    Issue.record(
                        """
                        seed \(generator.seed), round \(round): folder \(number) is \(String(describing: found)), not \
                        \(String(describing: expected)), after
                        \(transactions.map(\.description).joined(separator: "\n"))
                        """
                    )
                    return
                }
                waitingCount += try replica.count("tributary_shadow_key k WHERE id IN (SELECT _id FROM Folder)")
                states.insert(try replica.digest())
            }
            guard states.count == 1 else {
                Issue.record("seed \(generator.seed), round \(round): \(states.count) states\n\(transactions)")
                return
            }
        }
        #expect(shadowCount > 5 && waitingCount > 5, "\(shadowCount), \(waitingCount)")
    }

    private func schedule(_ generator: inout SeededGenerator) -> [ForeignTransaction] {
        func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func folder() -> Int { FolderRule.numbers.randomElement(using: &generator) ?? 1 }
        func parent() -> JSONValue { pick(0...5) == 0 ? nil : .to(folder()) }
        var transactions: [ForeignTransaction] = []
        for writer in 1...3 {
            var clock: UInt64 = 0
            for sequence in 1...5 {
                clock += UInt64(pick(1...2))
                let changes = (0..<pick(1...4)).map { _ -> Change in
                    let (name, code) = (
                        ["a", "b"][pick(0...1)] as JSONValue, ["x", "y", nil, nil, nil][pick(0...4)] as JSONValue
                    )
                    return switch pick(0...9) {
                    case 0...4: .insert("Folder", folder(), ["name": name, "parent": parent(), "code": code])
                    case 5: .update("Folder", folder(), ["parent": parent()])
                    case 6: .update("Folder", folder(), ["name": name])
                    case 7: .update("Folder", folder(), ["code": code])
                    default: .delete("Folder", folder())
                    }
                }
                transactions.append(ForeignTransaction(writer, UInt64(sequence), clock: clock, changes))
            }
        }
        return transactions
    }
}

/// What folders show, by the pure rule over all transactions.
private struct FolderRule {
    static let numbers = 1...7

    private var folders: [UniqueID: (inserted: Version?, values: [String: JSONValue])] = [:]
    private(set) var representatives: [UniqueID: UniqueID] = [:]

    init(_ transactions: [ForeignTransaction]) {
        let ordered = transactions.map { (Version(clock: $0.header.clock, writer: $0.writer), $0.changes) }
        for (version, changes) in ordered.sorted(by: { $0.0 < $1.0 }) {
            for change in changes {
                switch change.operation {
                case .insert(let writes):
                    folders[change.id, default: (nil, [:])].inserted = version
                    write(writes, to: change.id)
                case .update(let writes): write(writes, to: change.id)
                case .delete: folders[change.id] = nil
                case .link, .unlink: break
                }
            }
        }
        let holders = folders.compactMap { id, folder in
            folder.inserted.map { UniqueKeys<[JSONValue]>.Holder(id: id, inserted: $0, keys: keys(folder.values)) }
        }
        representatives = UniqueKeys(of: holders).representatives
    }

    private mutating func write(_ writes: [PropertyWrite], to id: UniqueID) {
        for write in writes { folders[id, default: (nil, [:])].values[write.name] = write.value }
    }

    private func keys(_ values: [String: JSONValue]) -> [[JSONValue]] {
        let keys = [["parent", "name"], ["code"]].map { $0.map { values[$0] ?? .null } }
        return keys.filter { !$0.contains(.null) }
    }

    /// The name, the parent and the code of a visible folder.
    func shown(_ number: Int) -> [PropertyValue?]? {
        let id = UniqueID.sample(number)
        guard let folder = folders[id], folder.inserted != nil, representatives[id] == nil else { return nil }
        func text(_ name: String) -> PropertyValue {
            if case .string(let text) = folder.values[name] { .string(text) } else { .null }
        }
        var parent = PropertyValue.null
        if case .string(let text) = folder.values["parent"], let held = UniqueID(text), folders[held]?.inserted != nil {
            parent = .reference(representatives[held] ?? held)
        }
        return [text("name"), parent, text("code")]
    }
}
