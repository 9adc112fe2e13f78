import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Batches write what saves write, without objects.
@Suite struct BatchTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private func rows(_ count: Int) -> [[String: PropertyValue]] {
        (0..<count).map { ["name": .string("n\($0)"), "_id": .uuid(UniqueID(high: 7, low: UInt64($0 + 1)))] }
    }

    @Test func insertAppliesDefaultsIsOneTransactionAndReachesTheMainContext() async throws {
        var request = BatchInsertRequest("Employee", rows: rows(3))
        request.resultKind = .objectIDs
        let result = try await container.execute(request)
        #expect(result.count == 3)
        #expect(result.objectIDs.map(\.uniqueID.low) == [1, 2, 3])
        let history = try container.fetchHistory()
        #expect(history.count == 1)
        #expect(history[0].changes.count == 3)
        #expect(history[0].contextName == "batch")
        #expect(history[0].token == result.token)
        await container.mergePendingChanges()
        try await MainActor.run {
            let employees = try container.viewContext.fetch(Employee.self, sortKeys: [SortKey("name")])
            #expect(employees.map(\.name) == ["n0", "n1", "n2"])
            #expect(employees.allSatisfy { $0.age == 30 && $0.visits == 0 })
        }
    }

    @Test func handlerIsAskedUntilItSaysThatThereIsNoMore() async throws {
        let count = try await container.performBackgroundTask { context in
            var next = 0
            return try context.execute(BatchInsertRequest("Employee", rows: [])) { row in
                guard next < 25 else { return true }
                row["name"] = .string("h\(next)")
                next += 1
                return false
            }.count
        }
        #expect(count == 25)
        let nothing = try await container.execute(BatchInsertRequest("Employee", rows: []))
        #expect(nothing.count == 0 && nothing.token == nil)
        #expect(try container.fetchHistory().count == 1)
    }

    @Test func errorsNameRowAndPropertyAndNothingIsWritten() async throws {
        func refused(_ row: [String: PropertyValue]) async -> BatchError? {
            do {
                try await container.execute(BatchInsertRequest("Employee", rows: rows(2) + [row]))
                return nil
            } catch {
                return error as? BatchError
            }
        }
        #expect(await refused([:]) == .missing(row: 2, entity: "Employee", property: "name"))
        #expect(
            await refused(["name": .integer(1)])
                == .wrongType(row: 2, entity: "Employee", property: "name", expected: "String", found: .integer(1))
        )
        #expect(
            await refused(["name": .string("x"), "nose": .null])
                == .unknownProperty(row: 2, entity: "Employee", property: "nose")
        )
        for property in ["projects", "badge", "mood"] {
            guard case .unwritable(row: 2, _, property, _) = await refused(["name": .string("x"), property: .null])
            else {
                Issue.record("\(property) was written")
                continue
            }
        }
        let taken = await refused(["name": .string("x"), "_id": .uuid(UniqueID(high: 7, low: 2))])
        guard case .duplicateID(row: 2, _) = taken else { throw Unexpected(taken) }
        #expect(try container.fetchHistory().isEmpty)
        #expect(try container.currentHistoryToken().number == 0)
    }

    @Test func updateWritesValuesCountsAndCopies() async throws {
        try await container.execute(BatchInsertRequest("Employee", rows: rows(4)))
        var request = BatchUpdateRequest(
            "Employee",
            predicate: try ObjectPredicate(parsing: "name != 'n0'"),
            setting: ["visits": .increment(.integer(2)), "code": .property("name"), "salary": .value(.double(5))]
        )
        request.resultKind = .objectIDs
        #expect(try await container.execute(request).objectIDs.count == 3)
        let values = try await container.performBackgroundTask { context in
            try context.fetch(Employee.self, sortKeys: [SortKey("name")]).map { "\($0.visits) \($0.code ?? "-")" }
        }
        #expect(values == ["0 -", "2 n1", "2 n2", "2 n3"])
        let same = BatchUpdateRequest("Employee", setting: ["age": .value(.integer(30))])
        #expect(try await container.execute(same).token == nil)
        await #expect(throws: BatchError.missing(row: nil, entity: "Employee", property: "name")) {
            try await container.execute(BatchUpdateRequest("Employee", setting: ["name": .value(.null)]))
        }
        try await container.execute(BatchInsertRequest("Badge", rows: [["number": .integer(.max)]]))
        let before = try container.currentHistoryToken()
        await #expect(throws: BatchError.self) {
            try await container.execute(BatchUpdateRequest("Badge", setting: ["number": .increment(.integer(1))]))
        }
        let refused: [(String, Int64, String)] = [
            ("name", 1, "a batch cannot write Employee.name: only an integer, a Double or a Float can be incremented"),
            ("age", 40_000, "Employee.age takes Integer 16 from -32768 to 32767, not the integer 40000"),
        ]
        for (name, amount, text) in refused {
            let request = BatchUpdateRequest("Employee", setting: [name: .increment(.integer(amount))])
            let error = await #expect(throws: BatchError.self) { try await container.execute(request) }
            #expect(error?.description == text)
        }
        #expect(try container.currentHistoryToken() == before)
    }

    @Test func `a counter takes every increment`() async throws {
        let model = try Model(
            entities: """
                Meter:
                  attributes:
                    small: {type: Integer 16, merge: counter, default: 0}
                    count: {type: Integer 64, merge: counter, default: 0}
                    level: {type: Double, merge: counter, default: 0}
                """
        )
        let container = try await PersistentContainer.open(folder, "meters", model: model)
        try await container.execute(BatchInsertRequest("Meter", rows: [[:]]))
        let greatest = Double.greatestFiniteMagnitude
        func add(_ count: Int64, _ level: Double) async throws -> [PropertyValue] {
            let amounts: [String: BatchUpdateRequest.Expression] = [
                "small": .increment(.integer(40_000)), "count": .increment(.integer(count)),
                "level": .increment(.double(level)),
            ]
            try await container.execute(BatchUpdateRequest("Meter", setting: amounts))
            return try await container.performBackgroundTask { context in
                let meter = try #require(context.fetch(FetchRequest("Meter")).first)
                return try ["small", "count", "level"].map { try meter.value(forKey: $0) }
            }
        }
        #expect(try await add(.max, greatest) == [.integer(40_000), .integer(.max), .double(greatest)])
        #expect(try await add(1, greatest) == [.integer(80_000), .integer(.min), .double(greatest)])
        #expect(try await add(-1, -greatest) == [.integer(120_000), .integer(.max), .double(greatest)])
        #expect(try await add(-.max, -greatest) == [.integer(160_000), .integer(0), .double(0)])
    }

    @Test func denyRefusesTheWholeRequest() async throws {
        try await container.execute(BatchInsertRequest("Employee", rows: rows(3)))
        try await container.execute(
            BatchInsertRequest("Locker", rows: [["holder": .reference(UniqueID(high: 7, low: 2))]])
        )
        do {
            try await container.execute(BatchDeleteRequest("Employee"))
            Issue.record("the Deny did not stand")
        } catch let error as BatchError {
            guard case .denied(let id, relationship: "lockers", by: _) = error else { throw error }
            #expect(id.uniqueID.low == 2)
        }
        try await container.execute(BatchDeleteRequest("Locker"))
        #expect(try await container.execute(BatchDeleteRequest("Employee")).count == 3)
    }

    @Test func sameStateHistoryAndExportAsObjectWiseSaves() async throws {
        var random = SeededGenerator.printingSeed()
        for _ in 0..<8 {
            let pair = try await BatchPair(seed: random.next())
            for _ in 0..<12 { try await pair.step(&random) }
            try pair.compare()
            try await pair.close()
        }
    }
}
