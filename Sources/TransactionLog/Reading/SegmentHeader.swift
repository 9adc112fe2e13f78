package import TributaryChanges

package struct SegmentHeader: Hashable, Sendable {
    package static let formatVersion: Int64 = 1

    package var writer: UniqueID
    package var name: String?
    package var first: UInt64
    package var last: UInt64
    /// The hash in the end line of the writer's previous segment.
    package var previous: String?
    package var model: String?
    /// Only the segment with the writer's first transaction names its former writer.
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

    package var line: String {
        JSONValue.members([
            "tributary": .integer(SegmentHeader.formatVersion), "writer": .string(writer.description),
            "name": name.map(JSONValue.string), "first": .count(first), "last": .count(last),
            "previous": previous.map(JSONValue.string) ?? .null, "model": model.map(JSONValue.string),
            "store": incarnation.storeJSON, "after": incarnation.afterJSON,
        ]).text
    }
}

extension SegmentHeader {
    private static let usualBytes = 1 << 10

    package static func read(_ source: some SegmentBytes) throws(SegmentError) -> SegmentHeader {
        let reader = SegmentLineReader(source, bounds: 0..<(try source.size()), capacity: usualBytes)
        guard let line = try reader.next() else {
            throw SegmentError(.incomplete, file: source.file, reason: "the file is empty")
        }
        return try reader.parse { () throws(JSONError) in try SegmentHeader(line: line) }
    }

    init(line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        let fields = try LineFields(line)
        let version = try fields.count("tributary")
        guard version == UInt64(SegmentHeader.formatVersion) else {
            throw JSONError("the format version is \(version); this program reads version 1")
        }
        let id = try fields.uniqueID("writer")
        self.init(
            writer: id,
            name: try fields.shortString("name"),
            first: try fields.count("first"),
            last: try fields.count("last"),
            previous: try fields.optionalHash("previous"),
            model: try fields.shortString("model"),
            incarnation: try fields.incarnation(of: id)
        )
    }

    /// Lacks the hash of the previous segment, which would help to guess the content of that segment.
    static func readable(_ line: String) -> String? {
        var text = line
        guard var header = text.withUTF8({ try? SegmentHeader(line: $0) }) else { return nil }
        header.previous = nil
        return header.line
    }

    func check(against name: SegmentName) throws(JSONError) {
        guard writer == name.writer else {
            throw JSONError("the header names writer \(writer), the file's folder names \(name.writer)")
        }
        guard first == name.first, last == name.last else {
            throw JSONError(
                "the header names transactions \(first) to \(last), the file's name \(name.first) to \(name.last)"
            )
        }
        guard first >= 1, first <= last else {
            throw JSONError("transactions \(first) to \(last) are not a range that starts at 1 or later")
        }
    }
}

extension TransactionHeader {
    /// An entry of `seen` for the writer itself has no meaning and is dropped.
    init(line: UnsafeBufferPointer<UInt8>, writer: UniqueID) throws(JSONError) {
        let fields = try LineFields(line)
        let sequence = try fields.count("transaction")
        let text = try fields.string("clock")
        guard let clock = HybridClock(text) else {
            throw JSONError("'clock' is '\(text.prefix(80))', not 16 lower-case hexadecimal digits")
        }
        let changes = try fields.count("changes")
        self.init(
            sequence: sequence,
            clock: clock,
            author: try fields.shortString("author"),
            seen: try TransactionHeader.seen(fields["seen"], writer: writer),
            changeCount: Int(clamping: changes)
        )
    }

    static func seen(_ value: JSONValue?, writer: UniqueID) throws(JSONError) -> [UniqueID: UInt64] {
        switch value {
        case nil, .null: return [:]
        case .object(let members):
            guard members.count <= LogLimits.seenEntries else {
                let reason = "'seen' has \(members.count) entries, more than \(LogLimits.seenEntries)"
                throw JSONError(reason)
            }
            var seen: [UniqueID: UInt64] = [:]
            for member in members {
                guard let other = UniqueID(member.key) else {
                    throw JSONError("'seen' names '\(member.key.prefix(80))', which is not a UUID")
                }
                guard case .integer(let sequence) = member.value, sequence >= 0 else {
                    throw JSONError("'seen' has no sequence for writer \(other)")
                }
                // An entry of 0 states nothing about a writer.
                if other != writer, sequence > 0 { seen[other] = max(seen[other] ?? 0, UInt64(sequence)) }
            }
            return seen
        case let other?: throw JSONError("'seen' is \(other.kind), not an object")
        }
    }
}
