/// A greatest or least value in a baseline; it does not matter which writer wrote the value.
package struct BaselineBound: Hashable, Sendable {
    package var entity: String
    package var id: UniqueID
    package var write: PropertyWrite

    package init(entity: String, id: UniqueID, write: PropertyWrite) {
        self.entity = entity
        self.id = id
        self.write = write
    }

    /// Without its newline.
    package var line: String {
        JSONValue.object([
            JSONMember(key: "bound", value: .string(entity)),
            JSONMember(key: "id", value: .string(id.description)),
            JSONMember(key: "values", value: .object([JSONMember(key: write.name, value: write.value)])),
        ]).text
    }
}
