import TributaryChanges

/// The changes of a transaction in the words of the oracle.
enum LogLines {
    static func of(_ changes: [Change]) -> [String] {
        let deleted = Set(changes.filter { $0.operation == .delete }.map(\.id))
        // A delete rule that the save finds on the newest state writes an update of its own, and so does each new object
        // whose key a stored one has: the last write to a property stands, and increments add up.
        var rows: [UniqueID: (entity: String, isInsert: Bool, writes: [String: JSONValue])] = [:]
        func add(_ writes: [PropertyWrite], _ change: Change, isInsert: Bool) {
            var row = rows[change.id] ?? (change.entity, isInsert, [:])
            for write in writes { row.writes[write.name] = joined(write.value, over: row.writes[write.name]) }
            rows[change.id] = row
        }
        let lines = changes.flatMap { change -> [String] in
            let name = ContextModel.name(ContextModel.object(change.id))
            switch change.operation {
            case .insert(let writes):
                add(writes, change, isInsert: true)
                return []
            case .update(let writes):
                if !deleted.contains(change.id) { add(writes, change, isInsert: false) }
                return []
            case .delete: return ["delete \(name)"]
            // Positions in an ordered relationship; the other end has the register.
            case .link(to: "row", _, _), .unlink(to: "row", _): return ["arrange \(name)"]
            case .link(let property, let ids, _): return ids.map { "link \(pair(change.id, property, $0))" }
            case .unlink(let property, let ids):
                // A deletion removes the pairs of its object.
                guard !deleted.contains(change.id) else { return [] }
                return ids.filter { !deleted.contains($0) }.map { "unlink \(pair(change.id, property, $0))" }
            }
        }
        return lines
            + rows.map { id, row in
                let words = row.writes.compactMap { name, value in
                    word(PropertyWrite(name: name, value: value), of: row.entity, isInsert: row.isInsert)
                }
                let verb = row.isInsert ? "insert" : "update"
                return ([verb, ContextModel.name(ContextModel.object(id))] + words.sorted()).joined(separator: " ")
            }
    }

    private static func joined(_ value: JSONValue, over known: JSONValue?) -> JSONValue {
        guard case .integer(let first)? = known?["increment"], case .integer(let second)? = value["increment"]
        else { return value }
        return .object([JSONMember(key: "increment", value: .integer(first + second))])
    }

    /// The store keeps pairs at either side.
    private static func pair(_ owner: UniqueID, _ property: String, _ target: UniqueID) -> String {
        let (first, second) = (ContextModel.object(owner), ContextModel.object(target))
        let isItem = ContextModel.entity(of: first) == ContextModel.item
        return "\(ContextModel.name(isItem ? first : second)) tags \(ContextModel.name(isItem ? second : first))"
    }

    private static func word(_ write: PropertyWrite, of entity: String, isInsert: Bool) -> String? {
        let found = ContextModel.entities.first { $0.name == entity }
        guard let entity = found, let index = entity.index(write.name) else { return "\(write.name)?" }
        switch entity.properties[index].kind {
        case .attribute(.counter, let start):
            if isInsert, ContextFeatures.lacks(.amounts) { return nil }
            let isWhole = write.value["increment"] == nil || (isInsert && ContextFeatures.lacks(.partialInserts))
            let amount = write.value["increment"] ?? write.value
            var value = number(amount, like: start)
            // The plain value of an insert counts as its difference from the default.
            if isWhole { value = value.subtracting(start) }
            return value.isZero ? nil : "\(write.name)+=\(ContextModel.text(value))"
        case .attribute(_, let start):
            if isInsert, ContextFeatures.lacks(.partialInserts), start.json == write.value { return nil }
            return "\(write.name)=\(write.name == "photo" ? photo(write.value) : text(write.value))"
        case .toOne, .claim:
            guard case .string(let text) = write.value, let id = UniqueID(text) else {
                return isInsert && ContextFeatures.lacks(.partialInserts) ? nil : "\(write.name)=-"
            }
            return "\(write.name)=\(ContextModel.name(ContextModel.object(id)))"
        case .toMany, .pairs, .owner: return "\(write.name)?"
        }
    }

    private static func text(_ value: JSONValue) -> String { value == .null ? "-" : ContextModel.text(value) }

    /// A binary is in the line, or in a file that the line names.
    private static func photo(_ value: JSONValue) -> String {
        if case .string(let text) = value, let bytes = Base64.decode(text) { return "\(bytes.count) bytes" }
        if case .integer(let size)? = value["size"] { return "\(size) bytes" }
        return text(value)
    }

    private static func number(_ value: JSONValue, like start: PropertyValue) -> PropertyValue {
        switch (value, start) {
        case (.integer(let number), .double): .double(Double(number))
        case (.integer(let number), _): .integer(number)
        case (.double(let number), _): .double(number)
        default: .null
        }
    }
}
