/// The name of a property and the value that a change writes to it.
package struct PropertyWrite: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}
