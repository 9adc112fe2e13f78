import TributaryChanges

/// The members of one JSON object in an archived model.
struct ArchivedFields {
    let value: JSONValue

    static func object(_ members: [(key: String, value: JSONValue?)]) -> JSONValue {
        .object(members.compactMap { member in member.value.map { JSONMember(key: member.key, value: $0) } })
    }

    static func list(_ value: JSONValue?) -> [ArchivedFields] {
        guard case .array(let values)? = value else { return [] }
        return values.map(ArchivedFields.init)
    }

    func text(_ key: String) -> String? {
        if case .string(let text)? = value[key] { text } else { nil }
    }

    /// The case that the text under a key names; a store must not be merged under another rule or type than the one
    /// that it was made with, so that an unknown case is an error.
    func value<Value: RawRepresentable<String>>(_ key: String, or absent: Value) throws(ModelError) -> Value {
        guard let text = text(key) else { return absent }
        guard let value = Value(rawValue: text) else {
            let name = self.text("name") ?? ""
            throw ModelError("'\(name)' has the \(key) '\(text)' in the store, which this program does not know")
        }
        return value
    }

    func flag(_ key: String) -> Bool { value[key] == .boolean(true) }

    func list(_ key: String) -> [ArchivedFields] { ArchivedFields.list(value[key]) }

    func texts(_ key: String) -> [[String]] {
        guard case .array(let lists)? = value[key] else { return [] }
        return lists.map { list in
            guard case .array(let words) = list else { return [] }
            return words.compactMap { if case .string(let word) = $0 { word } else { nil } }
        }
    }
}
