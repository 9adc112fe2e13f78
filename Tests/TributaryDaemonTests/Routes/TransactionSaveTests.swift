import TestSupport
import Testing
import Tributary
import TributaryChanges
import TributaryStore

@testable import TributaryDaemon

/// Requests to save changes, short ones and those that are saved in slices.
struct TransactionSaveTests {
    private static let model = """
        version: "1"
        entities:
          Product:
            attributes: {code: String, title: String?}
            unique: [code]
        """
    private static let count = 1_100
    private let test: TestEngine
    private let engine: Engine
    private let stored = UniqueID(high: 1, low: 1)

    init() async throws {
        test = try TestEngine()
        try test.folder.write(Self.model, to: "model.yaml")
        engine = try await test.open()
    }

    private func insert(_ code: String, _ title: String = "", id: UniqueID? = nil) -> String {
        let id = id.map { #""id":"\#($0)","# } ?? ""
        return #"{"insert":"Product",\#(id)"values":{"code":"\#(code)","title":"\#(title)"}}"#
    }

    /// Inserts that are long enough for several slices, and for more lines than are in memory at once.
    private func manyInserts() -> [String] {
        let title = String(repeating: "t", count: 3_000)
        return (0..<Self.count).map { insert("many \($0)", title) }
    }

    private func save(_ changes: [String], key: String? = nil) async throws -> (number: Int64?, ids: [UniqueID]) {
        let body = Array(#"{"changes":[\#(changes.joined(separator: ","))]}"#.utf8)
        return try await TransactionsRoute.save(body, key: key, author: "test", engine: engine)
    }

    private func codes() async throws -> [UniqueID: String] {
        try await engine.container.performBackgroundTask { context in
            let products = try context.fetch(FetchRequest("Product"))
            return Dictionary(
                uniqueKeysWithValues: try products.map { product in
                    guard case .string(let code) = try product.value(forKey: "code") else {
                        return (product.uniqueID, "")
                    }
                    return (product.uniqueID, code)
                }
            )
        }
    }

    @Test func `a new object with a taken key is answered with the object that keeps it`() async throws {
        _ = try await save([insert("a", id: stored)])
        let key = "0190f1a2-0000-7000-8000-00000000000a"
        let taken = try await save([insert("a", "new"), insert("b", "first"), insert("b", "second")], key: key)
        #expect(taken.ids.first == stored && taken.ids[1] == taken.ids[2])
        #expect(try await codes() == [stored: "a", taken.ids[1]: "b"])
        // The repetition has the same answer.
        let repeated = try await save([insert("c")], key: key)
        #expect(repeated.ids == taken.ids && repeated.number == taken.number)
        try await engine.container.close()
    }

    @Test func `a long request is one transaction`() async throws {
        let first = try await save([insert("a", id: stored)])
        let long = try await save(manyInserts() + [insert("a")])
        #expect(long.number == first.number.map { $0 + 1 })
        #expect(Set(long.ids).count == Self.count + 1 && long.ids.last == stored)
        let codes = try await codes()
        #expect(codes.count == Self.count + 1)
        #expect(long.ids.dropLast().enumerated().allSatisfy { codes[$1] == "many \($0)" })
        let transactions = try engine.container.store.read { reader in
            var found: [ExportableTransaction] = []
            try reader.outbox.localTransactions(from: 0) { transaction in
                found.append(transaction)
                return true
            }
            return found
        }
        #expect(transactions.map(\.changeCount) == [1, Self.count + 1])
        let lines = transactions[1].lines.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(lines.count == Self.count + 2 && lines[0].hasSuffix("\"changes\":\(Self.count + 1)}"))
        #expect(zip(long.ids, lines.dropFirst()).allSatisfy { $1.contains("\"\($0)\"") })
        try await engine.container.close()
    }

    @Test func `a long request decides about keys and failures as a whole`() async throws {
        let late = UniqueID(high: 1, low: 2)
        let invalid = try await #require(throws: ValidationError.self) {
            _ = try await save(manyInserts() + [#"{"insert":"Product","values":{}}"#])
        }
        #expect(invalid.failures.map(\.changeIndex) == [Self.count])
        #expect(try await codes().isEmpty)
        // The latest of several new objects keeps the key, however far they are apart.
        let long = try await save([insert("b"), insert("b", "x")] + manyInserts() + [insert("b", "late", id: late)])
        #expect(long.ids[0] == late && long.ids[1] == late && long.ids.last == late)
        #expect(try await codes().count == Self.count + 1)
        // An update that comes later frees a key for an insert.
        let freed = try await save(
            [insert("b", id: stored)] + manyInserts().map { $0.replacing("many", with: "more") }
                + [#"{"update":"Product","id":"\#(late)","values":{"code":"c"}}"#]
        )
        #expect(freed.ids.first == stored)
        let codes = try await codes()
        #expect(codes[stored] == "b" && codes[late] == "c")
        // An ID that occurs twice, and the version that the request itself gives, are refused.
        let twice = insert("b", id: UniqueID(high: 1, low: 3))
        await #expect(throws: ChangeError.self) {
            _ = try await save([twice] + manyInserts().map { $0.replacing("many", with: "most") } + [twice])
        }
        let update = #"{"update":"Product","id":"\#(late)","values":{"title":"u"}}"#
        let own = update.replacing("}}", with: #"},"ifVersion":\#((freed.number ?? 0) + 1)}"#)
        await #expect(throws: ChangeError.self) {
            _ = try await save([update] + manyInserts().map { $0.replacing("many", with: "most") } + [own])
        }
        try await engine.container.close()
    }
}
