/// A greatest or least value in a baseline: whose write it was does not matter.
package struct BaselineBound: Hashable, Sendable {
    package var entity: String
    package var id: UniqueID
    package var write: PropertyWrite

    package init(entity: String, id: UniqueID, write: PropertyWrite) {
        self.entity = entity
        self.id = id
        self.write = write
    }

    /// The line, without its newline.
    package var line: String {
        JSONValue.object([
            JSONMember(key: "bound", value: .string(entity)),
            JSONMember(key: "id", value: .string(id.description)),
            JSONMember(key: "values", value: .object([JSONMember(key: write.name, value: write.value)])),
        ]).text
    }
}
