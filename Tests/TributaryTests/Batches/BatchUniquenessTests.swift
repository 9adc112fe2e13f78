import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import Tributary

@Suite struct BatchUniquenessTests {
    private func open(_ folder: TemporaryFolder) async throws -> PersistentContainer {
        let store = try Store.open(
            StoreConfiguration(path: folder.path("store.sqlite"), name: "unique", model: try ProductModel.make())
        )
        let container = try await PersistentContainer(store: store, clock: ManualClock())
        try await container.execute(rows(("a", "old")))
        return container
    }

    private func rows(_ rows: (String?, String)...) -> BatchInsertRequest {
        BatchInsertRequest(
            "Product",
            rows: rows.map { ["code": $0.0.map { .string($0) } ?? .null, "title": .string($0.1)] }
        )
    }

    private func titles(_ container: PersistentContainer) async throws -> [String] {
        try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest("Product", sortKeys: [SortKey("title")])).map { product in
                guard case .string(let title) = try product.value(forKey: "title") else { return "" }
                return title
            }
        }
    }

    @Test func errorRefusesTheBatchAndNamesTheRow() async throws {
        let folder = try TemporaryFolder("unique")
        let container = try await open(folder)
        for request in [rows(("b", "new"), ("a", "new")), rows(("c", "new"), ("c", "newer"))] {
            do {
                try await container.execute(request)
                Issue.record("two objects have one key")
            } catch BatchError.constraint(row: 1, properties: ["code"], existing: _) {}
        }
        #expect(try await titles(container) == ["old"])
        try await container.execute(rows((nil, "x"), (nil, "y")))
        #expect(try await titles(container) == ["old", "x", "y"])
        try await container.close()
    }

    @Test(arguments: [
        (MergePolicy.objectTrump, ["b", "new"], 1), (.overwrite, ["b", "new"], 2), (.storeTrump, ["b", "old"], 1),
        (.rollback, ["b", "old"], 1),
    ])
    func policySettles(policy: MergePolicy, expected: [String], inserts: Int) async throws {
        let folder = try TemporaryFolder("unique")
        let container = try await open(folder)
        let before = try container.currentHistoryToken()
        try await container.execute(rows(("a", "new"), ("b", "b")), mergePolicy: policy)
        #expect(try await titles(container) == expected)
        let changes = try container.fetchHistory(after: before).flatMap(\.changes)
        #expect(changes.count { $0.kind == .insert } == inserts)
        try await container.close()
    }

    /// A deletion of the object of the earlier row would come after its insert in the log.
    @Test func aLaterRowGivesItsValuesToTheObjectOfAnEarlierOne() async throws {
        let folder = try TemporaryFolder("unique")
        let container = try await open(folder)
        let rows = rows(("b", "b"), ("a", "first"), ("b", "second"))
        try await container.execute(rows, mergePolicy: .overwrite)
        #expect(try await titles(container) == ["first", "second"])
        try container.store.read { reader in
            try reader.outbox.localTransactions(of: reader.writers.own().id, from: 2) { transaction in
                let lines = String(decoding: transaction.lines, as: UTF8.self).split(separator: "\n").dropFirst()
                #expect(!lines.drop { $0.hasPrefix("{\"delete\"") }.contains { $0.hasPrefix("{\"delete\"") })
                return true
            }
        }
        try await container.close()
    }

    @Test func updateToOneKeyIsRefused() async throws {
        let folder = try TemporaryFolder("unique")
        let container = try await open(folder)
        try await container.execute(rows(("b", "b")))
        await #expect(throws: BatchError.self) {
            try await container.execute(BatchUpdateRequest("Product", setting: ["code": .value(.string("z"))]))
        }
        #expect(try container.fetchHistory().count == 2)
        try await container.close()
    }
}
