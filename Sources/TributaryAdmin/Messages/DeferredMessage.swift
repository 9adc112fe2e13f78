/// A deferred write in the responses about segments and the status: an imported value that has no effect yet.
package struct DeferredMessage: Codable, Hashable, Sendable {
    package var writer: String
    package var sequence: UInt64
    /// The segment's path below the log folder; nil when it is unknown.
    package var file: String?
    package var line: Int?
    package var entity: String
    package var id: String
    package var property: String?
    /// The JSON text of the value in the segment.
    package var value: String?
    package var rule: String
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
