/// One change of a transaction in the form of the log: names and JSON values, without a model.
package struct Change: Hashable, Sendable {
    package var entity: String
    package var id: UniqueID
    package var operation: Operation

    package init(entity: String, id: UniqueID, operation: Operation) {
        self.entity = entity
        self.id = id
        self.operation = operation
    }

    package enum Operation: Hashable, Sendable {
        case insert([PropertyWrite])
        case update([PropertyWrite])
        case delete
        /// `positions` is set for ordered relationships and has one element for each ID.
        case link(to: String, ids: [UniqueID], positions: [String]?)
        case unlink(to: String, ids: [UniqueID])
    }
}

/// A value that a change writes to a property.
package struct PropertyWrite: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}
