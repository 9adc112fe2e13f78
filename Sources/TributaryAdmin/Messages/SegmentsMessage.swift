/// The response of `GET /v1/segments`.
package struct SegmentsMessage: Codable, Hashable, Sendable {
    package struct Segment: Codable, Hashable, Sendable {
        package var writer: String
        package var first: String
        package var last: String
        package var state: String
        package var reason: String?
        package var file: String?
        package var line: Int?
        package var waitingFor: [String]?
        package var deferred: Int?
        /// The number of objects that the segment updates and that no known segment inserts.
        package var unknownObjects: Int?
        package var deferredValues: [DeferredMessage]?
        package var since: Double?
        package var hint: String?
        package var writerName: String?
        /// This member and the following members are only in the response about a single segment.
        package var missing: [MissingPart]?
        package var notes: [String]?
        package var warning: String?
        package var acceptedBy: String?

        package init(writer: String, first: String, last: String, state: String) {
            self.writer = writer
            self.first = first
            self.last = last
            self.state = state
        }
    }

    package var segments: [Segment]
    package var next: String?

    package init(segments: [Segment], next: String? = nil) {
        self.segments = segments
        self.next = next
    }
}

/// An imported value that has no effect yet.
package struct DeferredMessage: Codable, Hashable, Sendable {
    package var writer: String
    package var sequence: UInt64
    /// The segment's path below the log folder; nil when it is unknown.
    package var file: String?
    package var line: Int?
    package var entity: String
    package var id: String
    package var property: String?
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
