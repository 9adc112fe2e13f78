package import TributaryChanges

extension DeferredWriteTable.Content {
    package init(of operation: Change.Operation) {
        // The members keep their order, because it numbers the values of the change.
        func members(_ writes: [PropertyWrite]) -> String {
            JSONValue.object(writes.map { JSONMember(key: $0.name, value: $0.value) }).text
        }
        func list(_ ids: [UniqueID]) -> JSONMember {
            JSONMember(key: "ids", value: .array(ids.map { .string($0.description) }))
        }
        switch operation {
        case .insert(let writes): self.init(operation: "insert", value: members(writes))
        case .update(let writes): self.init(operation: "update", value: members(writes))
        case .delete: self.init(operation: "delete")
        case .link(let name, let ids, let positions):
            var value = [list(ids)]
            if let positions {
                value.append(JSONMember(key: "positions", value: .array(positions.map { .string($0) })))
            }
            self.init(operation: "link", property: name, value: JSONValue.object(value).text)
        case .unlink(let name, let ids):
            self.init(operation: "unlink", property: name, value: JSONValue.object([list(ids)]).text)
        }
    }

    /// The content of one value of an insert or an update.
    package init(_ write: PropertyWrite, isInsert: Bool) {
        self.init(
            operation: isInsert ? "insert" : "update",
            property: write.name,
            value: String(decoding: write.value.canonicalBytes, as: UTF8.self)
        )
    }

    /// The operation of a greatest or least value of a baseline, which belongs to no transaction.
    static let bound = "bound"

    /// The operation of the change, or of its one value; nil for an unknown operation.
    var changeOperation: Change.Operation? {
        let json = value.flatMap { JSONValue(text: $0) }
        func writes() -> [PropertyWrite] {
            if let property, let json { return [PropertyWrite(name: property, value: json)] }
            guard case .object(let members)? = json else { return [] }
            return members.map { PropertyWrite(name: $0.key, value: $0.value) }
        }
        func texts(_ key: String) -> [String]? {
            guard case .array(let values)? = json?[key] else { return nil }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        let ids = (texts("ids") ?? []).compactMap { UniqueID($0) }
        return switch operation {
        case "insert": .insert(writes())
        case "update", Self.bound: .update(writes())
        case "delete": .delete
        case "link": .link(to: property ?? "", ids: ids, positions: texts("positions"))
        case "unlink": .unlink(to: property ?? "", ids: ids)
        default: nil
        }
    }
}
