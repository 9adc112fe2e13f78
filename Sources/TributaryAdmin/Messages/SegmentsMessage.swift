/// The answer of `GET /v1/segments`.
package struct SegmentsMessage: Codable, Hashable, Sendable {
    /// A segment with its state and the reason for it.
    package struct Segment: Codable, Hashable, Sendable {
        package var writer: String
        /// Sixteen hexadecimal digits, as in the file's name.
        package var first: String
        package var last: String
        package var state: String
        package var reason: String?
        package var file: String?
        package var line: Int?
        package var waitingFor: [String]?
        /// Values that the model cannot represent.
        package var deferred: Int?
        /// Objects that it updates and that nobody has inserted.
        package var unknownObjects: Int?
        /// The first of what is deferred.
        package var deferredValues: [DeferredMessage]?
        /// Unix seconds.
        package var since: Double?
        package var hint: String?
        /// What follows from accepting it; only in the answer to that.
        package var warning: String?
        /// Who accepted it; only in the answer to that.
        package var acceptedBy: String?

        package init(writer: String, first: String, last: String, state: String) {
            self.writer = writer
            self.first = first
            self.last = last
            self.state = state
        }
    }

    package var segments: [Segment]
    /// What to give as `after` to see more.
    package var next: String?

    package init(segments: [Segment], next: String? = nil) {
        self.segments = segments
        self.next = next
    }
}
