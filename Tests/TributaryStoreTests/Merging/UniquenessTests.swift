import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Live objects that share a unique key: who is visible, and what references to the others show (merge statement 15).
@Suite struct UniquenessTests {
    private static func insert(_ writer: Int, clock: UInt64, _ id: Int, _ values: KeyValuePairs<String, JSONValue>)
        -> ForeignTransaction
    {
        ForeignTransaction(writer, 1, clock: clock, .insert("Person", id, values))
    }

    /// Applies transactions in every order that keeps those of a writer in sequence, each to a store of its own.
    private func inEachOrder(
        _ transactions: [ForeignTransaction],
        _ check: (Replica) throws -> Void
    ) throws {
        var digests: Set<String> = []
        var dumps: Set<String> = []
        for order in transactions.permutationsInSequence {
            for isTogether in [false, true] {
                let replica = try Replica.withUniqueKeys()
                if isTogether { try replica.apply(together: order) } else { try replica.apply(order) }
                try check(replica)
                digests.insert(try replica.digest())
                dumps.insert(try replica.dump())
            }
        }
        #expect(digests.count == 1)
        #expect(dumps.count == 1, "\(dumps.sorted().joined(separator: "\n---\n"))")
    }

    /// Changes of a slice are merged in the order of their objects.
    @Test func `a representative that is deleted stands for nobody, also before its shadow is decided about`() throws {
        let model = try Model(
            yaml: """
                version: "1"
                entities:
                  Person:
                    unique: [email]
                    attributes: {email: String?}
                    relationships: {partner: {to: Person?, inverse: chosenBy}, chosenBy: {to: Person?, inverse: partner}}
                """
        )
        for name in ["partner", "chosenBy"] {
            let replica = try Replica(model)
            let people: [Change] = [
                .insert("Person", 1, ["email": "a"]), .insert("Person", 2, ["email": "b"]),
                .insert("Person", 3, ["email": "a"]),
            ]
            try replica.apply(ForeignTransaction(1, 1, clock: 1, people))
            let changes: [Change] = [.delete("Person", 1), .update("Person", 2, [name: .to(3)]), .delete("Person", 3)]
            try replica.apply(ForeignTransaction(2, 1, clock: 2, changes))
            #expect(try replica.values("Person", .sample(2))?["partner"] == .null, "\(name)")
            #expect(try replica.values("Person", .sample(2))?["chosenBy"] == .null, "\(name)")
        }
    }

    // MARK: Who is visible

    @Test func `of two objects with one key the older insert is visible, in either order of arrival`() throws {
        let transactions = [
            Self.insert(1, clock: 2, 1, ["email": "a"]), Self.insert(2, clock: 1, 2, ["email": "a"]),
            ForeignTransaction(3, 1, clock: 3, .insert("Task", 31, ["person": .to(1)])),
        ]
        try inEachOrder(transactions) { (replica: Replica) throws in
            #expect(try replica.people() == [2])
            #expect(try replica.values("Task", .sample(31))?["person"] == .reference(.sample(2)))
        }
    }

    @Test func `keys with a null are not shared`() throws {
        try inEachOrder([Self.insert(1, clock: 2, 1, ["email": nil]), Self.insert(2, clock: 1, 2, [:])]) {
            (replica: Replica) throws in
            #expect(try replica.people() == [1, 2])
        }
    }

    @Test func `inserts of one transaction are ordered by their identifiers`() throws {
        let transaction = ForeignTransaction(
            1,
            1,
            clock: 1,
            .insert("Person", 2, ["email": "a"]),
            .insert("Employee", 1, ["email": "a"])
        )
        for slice in [1, 2] {
            let replica = try Replica.withUniqueKeys()
            try replica.apply(transaction, slice: slice)
            #expect(try replica.people() == [1])
        }
    }

    @Test func `a shadow of a shadow's key is visible`() throws {
        // 1 has the email of 2, and 2 the badge of 3: 2 is a shadow, so it does not block 3.
        let transactions = [
            Self.insert(1, clock: 1, 1, ["email": "a", "badge": 1]),
            Self.insert(2, clock: 2, 2, ["email": "a", "badge": 2]),
            Self.insert(3, clock: 3, 3, ["email": "b", "badge": 2]),
        ]
        try inEachOrder(transactions) { (replica: Replica) throws in #expect(try replica.people() == [1, 3]) }
    }

    @Test func `a shadow comes back when an edit frees its key, and hides a younger holder of its other key`() throws {
        let transactions = [
            Self.insert(1, clock: 1, 1, ["email": "a"]), Self.insert(2, clock: 2, 2, ["email": "a", "badge": 2]),
            Self.insert(3, clock: 3, 3, ["badge": 2]),
            ForeignTransaction(1, 2, clock: 4, .update("Person", 1, ["email": "b"])),
        ]
        try inEachOrder(transactions) { (replica: Replica) throws in #expect(try replica.people() == [1, 2]) }
    }

    @Test func `a shadow comes back when its representative is deleted`() throws {
        let transactions = [
            Self.insert(1, clock: 1, 1, ["email": "a"]), Self.insert(2, clock: 2, 2, ["email": "a", "name": "two"]),
            ForeignTransaction(3, 1, clock: 2, .insert("Task", 31, ["person": .to(2)])),
            ForeignTransaction(1, 2, clock: 4, .delete("Person", 1)),
        ]
        try inEachOrder(transactions) { (replica: Replica) throws in
            #expect(try replica.people() == [2])
            #expect(try replica.values("Person", .sample(2))?["name"] == .string("two"))
            #expect(try replica.values("Task", .sample(31))?["person"] == .reference(.sample(2)))
        }
    }

    @Test func `an object that is inserted again comes later in the order`() throws {
        let transactions = [
            Self.insert(1, clock: 1, 1, ["email": "a"]), Self.insert(2, clock: 2, 2, ["email": "a"]),
            ForeignTransaction(1, 2, clock: 4, .insert("Person", 1, ["name": "again"])),
        ]
        try inEachOrder(transactions) { (replica: Replica) throws in #expect(try replica.people() == [2]) }
    }

    @Test func `writes to a shadow take effect, and move it to another key`() throws {
        let transactions = [
            Self.insert(1, clock: 1, 1, ["email": "a"]),
            Self.insert(2, clock: 2, 2, ["email": "a", "visits": 1]),
            ForeignTransaction(
                2,
                2,
                clock: 3,
                .update("Person", 2, ["email": "b", "name": "moved", "visits": .increment(2)])
            ),
        ]
        try inEachOrder(transactions) { (replica: Replica) throws in
            #expect(try replica.people() == [1, 2])
            #expect(try replica.values("Person", .sample(2))?["name"] == .string("moved"))
            #expect(try replica.values("Person", .sample(2))?["visits"] == .integer(3))
        }
    }

    @Test func `a deleted shadow is a tombstone`() throws {
        let transactions = [
            Self.insert(1, clock: 1, 1, ["email": "a"]), Self.insert(2, clock: 2, 2, ["email": "a"]),
            ForeignTransaction(3, 1, clock: 2, .insert("Task", 31, ["person": .to(2)])),
            ForeignTransaction(2, 2, clock: 3, .delete("Person", 2)),
        ]
        try inEachOrder(transactions) { (replica: Replica) throws in
            #expect(try replica.people() == [1])
            #expect(try replica.values("Task", .sample(31))?["person"] == .null)
        }
    }

    // MARK: References

    @Test func `links to a shadow are shown with its representative`() throws {
        let transactions = [
            Self.insert(1, clock: 1, 1, ["email": "a"]),
            ForeignTransaction(
                2,
                1,
                clock: 2,
                .insert("Person", 2, ["email": "a"]),
                .insert("Project", 41),
                .insert("Person", 3),
                .link("Person", 2, "projects", [41]),
                .link("Person", 3, "friends", [2])
            ),
            ForeignTransaction(3, 1, clock: 3, .link("Person", 1, "projects", [41])),
            ForeignTransaction(3, 2, clock: 4, .unlink("Person", 1, "projects", [41])),
        ]
        try inEachOrder(transactions) { (replica: Replica) throws in
            #expect(try replica.related("Person", 1, "projects") == [41])
            #expect(try replica.related("Project", 41, "members") == [1])
            #expect(try replica.related("Person", 1, "friends") == [3])
            #expect(try replica.related("Person", 3, "friends") == [1])
        }
    }

    @Test func `the owner of a shadow's one-to-one target is that of its representative`() throws {
        let transactions = [
            Self.insert(1, clock: 1, 1, ["email": "a"]),
            ForeignTransaction(
                2,
                1,
                clock: 2,
                .insert("Person", 2, ["email": "a"]),
                .insert("Desk", 51, ["owner": .to(2)])
            ),
            ForeignTransaction(3, 1, clock: 1, .insert("Desk", 52, ["owner": .to(1)])),
        ]
        try inEachOrder(transactions) { (replica: Replica) throws in
            #expect(try replica.people() == [1])
            #expect(try replica.values("Person", .sample(1))?["desk"] == .reference(.sample(51)))
            #expect(try replica.values("Desk", .sample(51))?["owner"] == .reference(.sample(1)))
            #expect(try replica.values("Desk", .sample(52))?["owner"] == .null)
        }
    }

    // MARK: Local changes

    private func pair() throws -> Replica {
        let replica = try Replica.withUniqueKeys()
        try replica.apply([
            Self.insert(1, clock: 1, 1, ["email": "a"]),
            ForeignTransaction(
                2,
                1,
                clock: 2,
                .insert("Person", 2, ["email": "a"]),
                .insert("Project", 41),
                .link("Person", 2, "projects", [41])
            ),
        ])
        return replica
    }

    @Test func `a local deletion of a representative is exported for its shadows`() throws {
        let replica = try pair()
        let committed = try replica.commit(.delete("Person", 1))
        #expect(committed.changeCount == 2)
        #expect(try replica.people() == [])
        #expect(try replica.exported() == [.sample(1), .sample(2)])
    }

    @Test func `a local unlink through a representative is exported for the shadow's pair`() throws {
        let replica = try pair()
        #expect(try replica.related("Person", 1, "projects") == [41])
        try replica.commit(.unlink("Person", 1, "projects", [41]))
        #expect(try replica.related("Person", 1, "projects") == [])
        #expect(try replica.exported() == [.sample(1), .sample(2)])
        try replica.commit(.unlink("Project", 41, "members", [1]))
        #expect(try replica.exported() == [.sample(1), .sample(2), .sample(41)])
    }

    @Test func `a local edit that frees a key announces the shadow as inserted`() throws {
        let replica = try pair()
        let committed = try replica.commit(.update("Person", 1, ["email": "b"]))
        #expect(committed.changes.inserted.map(\.uniqueID) == [.sample(2)])
        #expect(try replica.people() == [1, 2])
    }

    @Test func `an import announces an object that becomes a shadow as deleted`() throws {
        let replica = try Replica.withUniqueKeys()
        try replica.apply(Self.insert(1, clock: 2, 1, ["email": "a"]))
        let committed = try replica.apply(Self.insert(2, clock: 1, 2, ["email": "a"]))
        #expect(committed.changes.inserted.map(\.uniqueID) == [.sample(2)])
        #expect(committed.changes.deleted.map(\.uniqueID) == [.sample(1)])
    }

    @Test func `a local insert of a shadow's identifier is a duplicate`() throws {
        let replica = try pair()
        #expect(throws: StoreError.self) { try replica.commit(.insert("Person", 2, ["email": "c"])) }
        #expect(try replica.people() == [1])
    }

    /// A transaction in which very many objects share keys is decided in parts, so that they need not all be in memory.
    @Test(arguments: [1, 2, 7]) func `deciding in parts ends like deciding at once`(_ limit: Int) throws {
        let people = (1...48).map {
            Change.insert("Person", $0, ["email": .string("k\($0 * 7 % 12)"), "badge": .integer(Int64($0 % 5))])
        }
        let desks = (1...48).map { Change.insert("Desk", 100 + $0, ["owner": .to($0)]) }
        let friends = (1...48).map { Change.link("Person", $0, "friends", [$0 * 11 % 48 + 1]) }
        let moves = (1...48).map { Change.update("Person", $0, ["email": .string("k\($0 * 5 % 17)")]) }
        let deletions = stride(from: 3, through: 48, by: 9).map { Change.delete("Person", $0) }
        let older = (49...72).map { Change.insert("Person", $0, ["email": .string("k\($0 % 17)"), "badge": nil]) }
        let transactions = [
            ForeignTransaction(1, 1, clock: 5, people + desks + friends + moves + deletions),
            ForeignTransaction(2, 1, clock: 1, older),
        ]
        /// Returns the state, and the most objects that were pending after a slice.
        func state(limit: Int?) throws -> (digest: String, dump: String, pending: Int) {
            let replica = try Replica.withUniqueKeys()
            let pending = try replica.store.write { write in
                let engine = try write.engine()
                if let limit { engine.uniqueness.limit = limit }
                var most = 0
                for transaction in transactions {
                    try write.beginImport(writer: transaction.writer, header: transaction.header)
                    for change in transaction.changes {
                        try write.apply([change])
                        most = max(most, engine.uniqueness.pendingCount)
                    }
                    _ = try write.endImport()
                }
                return most
            }
            return (try replica.digest(), try replica.dump(), pending)
        }
        let (whole, parts) = (try state(limit: nil), try state(limit: limit))
        #expect(whole.pending > 40, "it would be decided about at once: \(whole.pending)")
        #expect(parts.pending < limit)
        #expect(parts.digest == whole.digest)
        #expect(parts.dump == whole.dump, "\(Replica.difference(whole.dump, parts.dump))")
    }

    // MARK: Baselines

    @Test func `a baseline hides no object whose key differs only by a later line`() throws {
        let model = try Model(
            yaml: """
                version: "1"
                entities:
                  Person: {attributes: {code: {type: Integer 64, default: 0}}, unique: [code]}
                """
        )
        let transactions = [
            ForeignTransaction(1, 1, clock: 1, .insert("Person", 1)),
            ForeignTransaction(1, 2, clock: 2, .insert("Person", 2)),
            ForeignTransaction(1, 3, clock: 3, .update("Person", 1, ["code": 1])),
            ForeignTransaction(1, 4, clock: 4, .insert("Person", 3, ["code": 1])),
        ]
        let last = try #require(transactions.last)
        let replica = try Replica(model)
        let writer = BaselineWriter(
            id: last.writer,
            sequence: last.header.sequence,
            clock: last.header.clock,
            seen: [:]
        )
        let entries = transactions.flatMap { transaction -> [BaselineEntry] in
            let line = BaselineTransaction(
                writer: transaction.writer,
                sequence: transaction.header.sequence,
                clock: transaction.header.clock,
                changeCount: transaction.changes.count
            )
            return [.transaction(line)] + transaction.changes.map { .change($0) }
        }
        let joined = try replica.join(writer, transactions: transactions.count, entries)
        // 3 has the key of 1, whose key differs from that of 2 after the third transaction.
        #expect(try replica.people() == [1, 2])
        #expect(joined != nil)
        let found = try replica.store.read { try $0.conflicts.page(limit: 10).found }
        #expect(found.map(\.id) == [.sample(3)])
    }

    // MARK: The journal and the model

    @Test func `the journal names both objects and the key, and a restoration is refused`() throws {
        let replica = try pair()
        let found = try replica.store.read { try $0.conflicts.page(limit: 10).found }
        let conflict = try #require(found.first)
        #expect(found.count == 1)
        #expect((conflict.kind, conflict.rule) == (.object, .uniqueness))
        #expect((conflict.id, conflict.property) == (.sample(2), "email"))
        #expect(conflict.losing.value == .object([JSONMember(key: "email", value: "a")]))
        #expect(conflict.winning.value == .to(1))
        #expect(throws: ConflictRestoration.Refusal.self) {
            try replica.store.read { try ConflictRestoration(conflict, reader: $0).change() }
        }
    }

    @Test func `an exchange of keys is no conflict, also when each change is merged as a slice of its own`() throws {
        let replica = try Replica.withUniqueKeys()
        try replica.apply([
            ForeignTransaction(
                1,
                1,
                clock: 1,
                .insert("Person", 1, ["email": "a"]),
                .insert("Person", 2, ["email": "b"])
            )
        ])
        let exchange = ForeignTransaction(
            1,
            2,
            clock: 2,
            .update("Person", 1, ["email": "b"]),
            .update("Person", 2, ["email": "a"])
        )
        try replica.apply(together: [exchange], slice: 1)
        #expect(try replica.people() == [1, 2])
        #expect(try replica.values("Person", .sample(2))?["email"] == .string("a"))
        #expect(try replica.store.read { try $0.conflicts.page(limit: 10).found }.isEmpty)
    }

    @Test func `a model without the constraint shows all objects, one with it hides them again`() throws {
        let replica = try pair()
        let newest = { try replica.store.read { try $0.history.newestTransaction() } }
        let before = try newest()
        try replica.reopen(try UniquenessModel.make())
        #expect(try replica.people() == [1])
        #expect(try newest() == before, "with the same constraints nothing is decided about")
        let digest = try replica.digest()
        try replica.reopen(try UniquenessModel.make("2", unique: "[badge]"))
        #expect(try replica.people() == [1, 2])
        #expect(try replica.related("Person", 1, "projects") == [])
        #expect(try replica.related("Person", 2, "projects") == [41])
        #expect(try replica.digest() == digest)
        try replica.apply(ForeignTransaction(3, 1, clock: 5, .update("Person", 2, ["badge": 1])))
        try replica.apply(ForeignTransaction(4, 1, clock: 5, .insert("Person", 4, ["badge": 1])))
        #expect(try replica.people() == [1, 2])
    }
}

extension Replica {
    fileprivate func people() throws -> [Int] {
        try (1...9).filter { try values("Person", .sample($0)) != nil }
    }

    /// The objects of the changes of all local transactions, as they are exported.
    fileprivate func exported() throws -> [UniqueID] {
        try localTransactions().joined().matches(of: /"id":"([^"]+)"/).compactMap { UniqueID(String($0.1)) }
    }
}
