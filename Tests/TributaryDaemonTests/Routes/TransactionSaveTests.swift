import TestSupport
import Testing
import Tributary
import TributaryAdmin
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
            relationships:
              owner: {to: Product, inverse: parts, optional: true}
              parts: {to: Product, many: true, inverse: owner}
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

    private func outbox() throws -> [ExportableTransaction] {
        try engine.container.store.read { reader in
            var found: [ExportableTransaction] = []
            try reader.outbox.localTransactions(of: reader.writers.own().id, from: 0) { transaction in
                found.append(transaction)
                return true
            }
            return found
        }
    }

    /// The verb and the last part of the identifier of each change of the last transaction.
    private func logged() throws -> [String] {
        let lines = try outbox().last?.lines.split(separator: UInt8(ascii: "\n")).dropFirst() ?? []
        return lines.map { line in
            let parts = String(decoding: line, as: UTF8.self).split(separator: "\"")
            return "\(parts[1]) \(parts[7].suffix(4).drop { $0 == "0" })"
        }
    }

    @Test func aRequestDeletesAnObjectAndInsertsItAgain() async throws {
        _ = try await save([insert("a", "old", id: stored)])
        let ids = try await save([#"{"delete":"Product","id":"\#(stored)"}"#, insert("a", id: stored)]).ids
        #expect(ids == [stored, stored])
        #expect(try await codes() == [stored: "a"])
        #expect(try logged() == ["delete 1", "insert 1"])
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
        let transactions = try outbox()
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
        let known = try await #require(throws: ProblemDocument.self) {
            _ = try await save([twice] + manyInserts().map { $0.replacing("many", with: "most") } + [twice])
        }
        #expect(known.status == 409 && known.index == Self.count + 1, "\(known)")
        let update = #"{"update":"Product","id":"\#(late)","values":{"title":"u"}}"#
        let own = update.replacing("}}", with: #"},"ifVersion":\#((freed.number ?? 0) + 1)}"#)
        let moved = try await #require(throws: ProblemDocument.self) {
            _ = try await save([update] + manyInserts().map { $0.replacing("many", with: "most") } + [own])
        }
        #expect(moved.status == 409 && moved.index == Self.count + 1, "\(moved)")
        try await engine.container.close()
    }

    /// The log has deletions first, and not what they take away.
    @Test func `a request may delete after other changes, a long one too`() async throws {
        func id(_ number: UInt64) -> UniqueID { UniqueID(high: 2, low: number) }
        func update(_ number: UInt64, _ title: String = "x") -> String {
            #"{"update":"Product","id":"\#(id(number))","values":{"title":"\#(title)"}}"#
        }
        func delete(_ number: UInt64) -> String { #"{"delete":"Product","id":"\#(id(number))"}"# }
        _ = try await save([insert("a", id: id(1)), insert("b", id: id(2)), insert("c", id: id(3))])
        _ = try await save([insert("d", id: id(4)), update(1), update(2), delete(2), delete(4)])
        #expect(try logged() == ["delete 2", "update 1"])
        let long = try await save([update(1, "y"), update(3)] + manyInserts() + [delete(3)])
        #expect(long.ids.count == Self.count + 3)
        #expect(try logged().first == "delete 3" && logged().contains("update 1"))
        #expect(try outbox().last?.changeCount == Self.count + 2)
        // Slices of deletions alone: that of an owner writes its part, which a later slice deletes.
        let owners = UInt64(1_100)
        let parts = (1...owners).map { number in
            #"{"insert":"Product","id":"\#(id(8_000 + number))","values":{"code":"p\#(number)","owner":"\#(id(6_000 + number))"}}"#
        }
        _ = try await save((1...owners).map { insert("o\($0)", id: id(6_000 + $0)) } + parts)
        let deletions = [6_000, 8_000].flatMap { start in (1...owners).map { delete(start + $0) } }
        _ = try await save(deletions + [delete(1) + String(repeating: " ", count: 1 << 20)])
        #expect(try outbox().last?.changeCount == deletions.count + 1)
        #expect(try logged().allSatisfy { $0.hasPrefix("delete") })
        #expect(try await codes().count == Self.count)
        try await engine.container.close()
    }
}
