import TributaryChanges

extension SegmentHeader {
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

    func check(against name: SegmentName) throws(JSONError) {
        guard writer == name.writer else {
            throw JSONError("the header names writer \(writer), the file's folder \(name.writer)")
        }
        guard first == name.first, last == name.last else {
            throw JSONError(
                "the header says transactions \(first) to \(last), the file's name \(name.first) to \(name.last)"
            )
        }
        guard first >= 1, first <= last else {
            throw JSONError("transactions \(first) to \(last) are no range that starts at 1 or later")
        }
    }
}

extension LineFields {
    /// The store of a writer, and what it follows.
    func incarnation(of writer: UniqueID) throws(JSONError) -> Incarnation {
        var incarnation = Incarnation()
        if has("store") { incarnation.store = try uniqueID("store") }
        guard let value = self["after"], value != .null else { return incarnation }
        let after = try LineFields(value)
        let (former, sequence) = (try after.uniqueID("writer"), try after.count("sequence"))
        guard former != writer else { throw JSONError("'after' names the writer itself") }
        if sequence > 0 { incarnation.after = Incarnation.Predecessor(writer: former, sequence: sequence) }
        return incarnation
    }

    func uniqueID(_ key: String) throws(JSONError) -> UniqueID {
        let text = try string(key)
        guard let id = UniqueID(text) else {
            throw JSONError("'\(key)' is '\(text.prefix(80))', not a UUID")
        }
        return id
    }
}

extension SegmentEnd {
    init(line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        let fields = try LineFields(line)
        let last = try fields.count("end")
        guard let hash = try fields.optionalHash("sha256") else {
            throw JSONError("the key 'sha256' is missing")
        }
        self.init(
            last: last,
            transactions: try fields.count("transactions"),
            changes: try fields.count("changes"),
            sha256: hash
        )
    }
}

extension TransactionHeader {
    /// Parses a transaction line of `writer`.
    ///
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
                    throw JSONError("'seen' names '\(member.key.prefix(80))', which is no UUID")
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
