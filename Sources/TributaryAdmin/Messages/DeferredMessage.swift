/// A value that was imported and has no effect yet, as segments and the status name it.
package struct DeferredMessage: Codable, Hashable, Sendable {
    package var writer: String
    package var sequence: UInt64
    /// The segment's path below the log folder, where it is known.
    package var file: String?
    package var line: Int?
    package var entity: String
    package var id: String
    package var property: String?
    /// JSON as it stands in the segment.
    package var value: String?
    /// Why it has no effect.
    package var rule: String
    /// The same in one line for people.
    package var text: String

    package init(writer: String, sequence: UInt64, entity: String, id: String, rule: String, text: String) {
        self.writer = writer
        self.sequence = sequence
        self.entity = entity
        self.id = id
        self.rule = rule
        self.text = text
    }
}
