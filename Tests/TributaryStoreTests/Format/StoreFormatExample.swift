import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The worked example of the article on the store format: a real store with the article's model and transactions.
struct StoreFormatExample {
    let article: Article
    let replica: Replica

    init() throws {
        article = try Article(path: "Sources/TributaryStore/TributaryStore.docc/StoreFormat.md")
        let yaml = try #require(article.block(after: "<!-- example: model -->"))
        replica = try Replica(Model(yaml: yaml))
        let text = try #require(article.block(after: "<!-- example: transactions -->"))
        for transaction in try StoreFormatExample.transactions(text) { try replica.apply(transaction) }
    }

    private static func transactions(_ text: String) throws -> [ForeignTransaction] {
        var found: [ForeignTransaction] = []
        for line in text.split(separator: "\n") {
            let value = try #require(JSONValue(text: String(line)))
            guard case .integer(let sequence)? = value["transaction"] else {
                found[found.count - 1].changes.append(try change(value))
                continue
            }
            guard case .string(let clock)? = value["clock"], case .integer(let count)? = value["changes"] else {
                throw StoreError.invalidChange(index: 0, reason: String(line))
            }
            var transaction = ForeignTransaction(0, UInt64(sequence), clock: 0)
            transaction.writer = try id(value["writer"])
            transaction.header.clock = try #require(HybridClock(clock))
            transaction.header.changeCount = Int(count)
            found.append(transaction)
        }
        return found
    }

    private static func change(_ value: JSONValue) throws -> Change {
        let verbs = ["insert", "update", "delete", "link"]
        let verb = try #require(verbs.first { value[$0] != nil })
        guard case .string(let entity)? = value[verb] else {
            throw StoreError.invalidChange(index: 0, reason: value.text)
        }
        var writes: [PropertyWrite] = []
        if case .object(let members)? = value["values"] {
            writes = members.map { PropertyWrite(name: $0.key, value: $0.value) }
        }
        let operation: Change.Operation
        switch (verb, value["to"], value["ids"]) {
        case ("insert", _, _): operation = .insert(writes)
        case ("update", _, _): operation = .update(writes)
        case ("link", .string(let name)?, .array(let ids)?):
            operation = .link(to: name, ids: try ids.map { try id($0) }, positions: nil)
        default: operation = .delete
        }
        return Change(entity: entity, id: try id(value["id"]), operation: operation)
    }

    private static func id(_ value: JSONValue?) throws -> UniqueID {
        guard case .string(let text)? = value, let id = UniqueID(text) else {
            throw StoreError.invalidChange(index: 0, reason: "no UUID")
        }
        return id
    }
}
