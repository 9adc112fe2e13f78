package import TributaryChanges

/// The header line of a segment.
package struct SegmentHeader: Hashable, Sendable {
    /// The version of the format that this program reads and writes.
    package static let formatVersion: Int64 = 1

    package var writer: UniqueID
    /// The writer's display name.
    package var name: String?
    package var first: UInt64
    package var last: UInt64
    /// The hash in the end line of the writer's previous segment.
    package var previous: String?
    package var model: String?
    /// Its store; what it follows is named by the segment with its first transaction.
    package var incarnation: Incarnation

    package init(
        writer: UniqueID,
        name: String? = nil,
        first: UInt64,
        last: UInt64,
        previous: String? = nil,
        model: String? = nil,
        incarnation: Incarnation = Incarnation()
    ) {
        self.writer = writer
        self.name = name.map(LogLimits.cut)
        self.first = first
        self.last = last
        self.previous = previous
        self.model = model.map(LogLimits.cut)
        self.incarnation = incarnation
        if first > 1 { self.incarnation.after = nil }
    }

    package var segmentName: SegmentName { SegmentName(writer: writer, first: first, last: last) }

    /// The line, without its newline.
    package var line: String {
        var members = [
            JSONMember(key: "tributary", value: .integer(SegmentHeader.formatVersion)),
            JSONMember(key: "writer", value: .string(writer.description)),
        ]
        if let name { members.append(JSONMember(key: "name", value: .string(name))) }
        members += [
            JSONMember(key: "first", value: .integer(Int64(clamping: first))),
            JSONMember(key: "last", value: .integer(Int64(clamping: last))),
            JSONMember(key: "previous", value: previous.map { .string($0) } ?? .null),
        ]
        if let model { members.append(JSONMember(key: "model", value: .string(model))) }
        return JSONValue.object(members + incarnation.members).text
    }
}
