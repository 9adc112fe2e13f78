package struct BaselineCounter: Hashable, Sendable {
    package var entity: String
    package var id: UniqueID
    package var property: String
    package var totals: [UniqueID: JSONValue]

    package init(entity: String, id: UniqueID, property: String, totals: [UniqueID: JSONValue]) {
        self.entity = entity
        self.id = id
        self.property = property
        self.totals = totals
    }

    /// Without its newline.
    package var line: String {
        let sums = totals.sorted { $0.key < $1.key }.map { JSONMember(key: $0.key.description, value: $0.value) }
        return JSONValue.object([
            JSONMember(key: "counter", value: .string(entity)),
            JSONMember(key: "id", value: .string(id.description)),
            JSONMember(key: "property", value: .string(property)),
            JSONMember(key: "totals", value: .object(sums)),
        ]).text
    }
}
