import TributaryChanges

extension BaselineHeader {
    init(line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        let fields = try LineFields(line)
        let (version, kind) = (try fields.count("tributary"), try fields.count("baseline"))
        guard version == 1 else {
            throw BaselineLines.failure("the format version 'tributary' is \(version); this program reads version 1")
        }
        guard kind == 1 else {
            throw BaselineLines.failure("the format version 'baseline' is \(kind); this program reads version 1")
        }
        guard let modelHash = try fields.shortString("modelHash") else {
            throw BaselineLines.failure("the key 'modelHash' is missing")
        }
        guard let rules = fields["rules"].flatMap(BaselineRules.init) else {
            throw BaselineLines.failure("'rules' is no text for each property of each entity of each root entity")
        }
        let count = try fields.count("writers")
        guard count <= UInt64(BaselineLines.writerLimit) else {
            throw BaselineLines.failure("there are \(count) writers, more than \(BaselineLines.writerLimit)")
        }
        self.init(
            model: try fields.shortString("model"),
            modelHash: modelHash,
            rules: rules,
            writerCount: Int(count)
        )
    }
}

extension BaselineWriter {
    init(line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        let fields = try LineFields(line)
        let id = try fields.uniqueID("writer")
        self.init(
            id: id,
            incarnation: try fields.incarnation(of: id),
            sequence: try fields.sequence("sequence"),
            clock: try fields.clock(),
            seen: try TransactionHeader.seen(fields["seen"], writer: id)
        )
    }
}

extension BaselineTransaction {
    init(_ fields: LineFields) throws(JSONError) {
        let changes = try fields.count("changes")
        guard changes > 0 else { throw BaselineLines.failure("the transaction has no changes") }
        self.init(
            writer: try fields.uniqueID("writer"),
            sequence: try fields.sequence("transaction"),
            clock: try fields.clock(),
            changeCount: Int(clamping: changes)
        )
    }
}

extension BaselineBound {
    init(_ fields: LineFields) throws(JSONError) {
        guard case .object(let members)? = fields["values"], members.count == 1, let value = members.first else {
            throw BaselineLines.failure("'values' is not an object with one value")
        }
        self.init(
            entity: try fields.string("bound"),
            id: try fields.uniqueID("id"),
            write: PropertyWrite(name: value.key, value: value.value)
        )
    }
}

extension BaselineCounter {
    init(_ fields: LineFields) throws(JSONError) {
        guard case .object(let members)? = fields["totals"], members.count <= BaselineLines.writerLimit else {
            throw BaselineLines.failure("'totals' is no object, or has too many members")
        }
        var totals: [UniqueID: JSONValue] = [:]
        for member in members {
            guard let writer = UniqueID(member.key) else {
                throw BaselineLines.failure("'totals' names '\(member.key.prefix(80))', which is no UUID")
            }
            totals[writer] = member.value
        }
        self.init(
            entity: try fields.string("counter"),
            id: try fields.uniqueID("id"),
            property: try fields.string("property"),
            totals: totals
        )
    }
}

extension LineFields {
    /// Returns the sequence of a transaction: from 1, with one more after it.
    fileprivate func sequence(_ key: String) throws(JSONError) -> UInt64 {
        let sequence = try count(key)
        guard sequence >= 1, sequence < UInt64(Int64.max) else {
            throw BaselineLines.failure("'\(key)' is \(sequence), which is no sequence")
        }
        return sequence
    }

    fileprivate func clock() throws(JSONError) -> HybridClock {
        let text = try string("clock")
        guard let clock = HybridClock(text), clock.isAcceptable else {
            throw BaselineLines.failure("'clock' is '\(text.prefix(80))', not an acceptable clock")
        }
        return clock
    }
}
