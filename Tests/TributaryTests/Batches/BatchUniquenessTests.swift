import TestSupport
import Testing
import TributaryStore

@testable import Tributary

@Suite struct BatchUniquenessTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("unique")
        container = try await PersistentContainer.open(folder, model: ProductModel.make())
        try await container.execute(rows(("a", "old")))
    }

    private func rows(_ rows: (String?, String)...) -> BatchInsertRequest {
        BatchInsertRequest(
            "Product",
            rows: rows.map { ["code": $0.0.map { .string($0) } ?? .null, "title": .string($0.1)] }
        )
    }

    @Test func errorRefusesTheBatchAndNamesTheRow() async throws {
        for request in [rows(("b", "new"), ("a", "new")), rows(("c", "new"), ("c", "newer"))] {
            do {
                try await container.execute(request)
                Issue.record("two objects have one key")
            } catch BatchError.constraint(row: 1, properties: ["code"], existing: _) {}
        }
        #expect(try await ProductModel.titles(container) == ["old"])
        try await container.execute(rows((nil, "x"), (nil, "y")))
        #expect(try await ProductModel.titles(container) == ["old", "x", "y"])
    }

    @Test(arguments: [
        (MergePolicy.objectTrump, ["b", "new"], 1), (.overwrite, ["b", "new"], 2), (.storeTrump, ["b", "old"], 1),
        (.rollback, ["b", "old"], 1),
    ])
    func policySettles(policy: MergePolicy, expected: [String], inserts: Int) async throws {
        let before = try container.currentHistoryToken()
        try await container.execute(rows(("a", "new"), ("b", "b")), mergePolicy: policy)
        #expect(try await ProductModel.titles(container) == expected)
        let changes = try container.fetchHistory(after: before).flatMap(\.changes)
        #expect(changes.count { $0.kind == .insert } == inserts)
    }

    /// A deletion of the object of the earlier row would come after its insert in the log.
    @Test func aLaterRowGivesItsValuesToTheObjectOfAnEarlierOne() async throws {
        let rows = rows(("b", "b"), ("a", "first"), ("b", "second"))
        try await container.execute(rows, mergePolicy: .overwrite)
        #expect(try await ProductModel.titles(container) == ["first", "second"])
        let lines = try #require(try container.store.localTransactions(from: 2).first).dropFirst()
        #expect(!lines.drop { $0.hasPrefix("{\"delete\"") }.contains { $0.hasPrefix("{\"delete\"") })
    }

    /// `overwrite` deletes the object that has the key, so that nothing of it stays.
    @Test(arguments: [(MergePolicy.overwrite, nil), (.objectTrump, "Acme")] as [(MergePolicy, String?)])
    func twoRowsOfOneKey(policy: MergePolicy, maker: String?) async throws {
        let request = BatchInsertRequest(
            "Product",
            rows: [
                ["code": .string("b"), "title": .string("first"), "maker": .string("Acme")],
                ["code": .string("b"), "title": .string("second")],
            ]
        )
        try await container.execute(request, mergePolicy: policy)
        let found = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest("Product", where: "code == 'b'")).map { product in
                try ["title", "maker"].map { try product.value(forKey: $0) }
            }
        }
        #expect(found == [[.string("second"), maker.map { .string($0) } ?? .null]])
    }

    @Test(arguments: MergePolicy.allCases)
    func entitiesBesideEachOtherHaveKeysOfTheirOwn(_ policy: MergePolicy) async throws {
        let model = try Model(
            yaml: """
                version: "1"
                entities:
                  Item: {attributes: {code: String?}}
                  Tool: {parent: Item, unique: [[code]]}
                  Part: {parent: Item, unique: [[code]]}
                """
        )
        let container = try await PersistentContainer.open(folder, "items", model: model)
        for entity in ["Part", "Tool", "Part"] {
            let request = BatchInsertRequest(entity, rows: [["code": .string("a")]])
            _ = try? await container.execute(request, mergePolicy: policy)
        }
        let found = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest("Item")).map(\.objectID.entity).sorted()
        }
        #expect(found == ["Part", "Tool"])
        try await container.close()
    }

    @Test func updateToOneKeyIsRefused() async throws {
        try await container.execute(rows(("b", "b")))
        await #expect(throws: BatchError.self) {
            try await container.execute(BatchUpdateRequest("Product", setting: ["code": .value(.string("z"))]))
        }
        #expect(try container.fetchHistory().count == 2)
    }
}
