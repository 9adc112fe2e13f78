import TributaryChanges

extension BaselineHeader {
    init(line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        let fields = try LineFields(line)
        let (version, kind) = (try fields.count("tributary"), try fields.count("baseline"))
        guard version == 1 else {
            throw BaselineLines.failure("the format version 'tributary' is \(version); this program reads version 1")
        }
        guard kind == 1 || kind == 2 else {
            let reason = "the format version 'baseline' is \(kind); this program reads the versions 1 and 2"
            throw BaselineLines.failure(reason)
        }
        guard let modelHash = try fields.shortString("modelHash") else {
            throw BaselineLines.failure("the key 'modelHash' is missing")
        }
        let count = try fields.count("writers")
        guard count <= UInt64(BaselineLines.writerLimit) else {
            throw BaselineLines.failure("there are \(count) writers, more than \(BaselineLines.writerLimit)")
        }
        self.init(
            model: try fields.shortString("model"),
            modelHash: modelHash,
            writerCount: Int(count),
            hasForks: kind == 2
        )
    }
}

extension BaselineWriter {
    init(line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        let fields = try LineFields(line)
        let id = try fields.uniqueID("writer")
        let sequence = try fields.sequence("sequence")
        self.init(
            id: id,
            sequence: sequence,
            clock: try fields.clock(),
            hash: try fields.optionalHash("sha256"),
            seen: try TransactionHeader.seen(fields["seen"], writer: id),
            fork: try fields["fork"].map { value throws(JSONError) in try BaselineFork(value, reach: sequence) }
        )
    }
}

extension BaselineFork {
    /// Reads the branches of a writer: segments in order, the last of which ends with the writer's last transaction.
    init(_ value: JSONValue, reach: UInt64) throws(JSONError) {
        let fields = try LineFields(value)
        guard case .array(let values)? = fields["segments"], !values.isEmpty,
            values.count <= LogLimits.baselineForkSegments
        else { throw BaselineLines.failure("'segments' of 'fork' is no array, or has no elements or too many") }
        let start = try fields.count("after")
        var segments: [Segment] = []
        segments.reserveCapacity(values.count)
        for value in values {
            let segment = try Segment(LineFields(value))
            guard segment.first <= segment.last, segment.last > start, segment.last <= reach else {
                throw BaselineLines.failure(
                    "the segment \(segment.first)-\(segment.last) of 'fork' is out of its bounds"
                )
            }
            guard segments.last.map({ $0 < segment }) ?? true else {
                throw BaselineLines.failure("the segments of 'fork' are not in their order")
            }
            segments.append(segment)
        }
        guard segments.contains(where: { $0.last == reach }) else {
            throw BaselineLines.failure("no segment of 'fork' ends with the writer's last transaction")
        }
        self.init(start: start, segments: segments)
    }
}

extension BaselineFork.Segment {
    fileprivate init(_ fields: LineFields) throws(JSONError) {
        guard let hash = try fields.optionalHash("sha256") else {
            throw BaselineLines.failure("a segment of 'fork' has no 'sha256'")
        }
        self.init(
            first: try fields.sequence("first"),
            last: try fields.sequence("last"),
            sha256: hash,
            previous: try fields.optionalHash("previous") ?? ""
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
            index: fields.has("index") ? Int(clamping: try fields.count("index")) : nil,
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
    fileprivate func uniqueID(_ key: String) throws(JSONError) -> UniqueID {
        let text = try string(key)
        guard let id = UniqueID(text) else {
            throw BaselineLines.failure("'\(key)' is '\(text.prefix(80))', not a UUID")
        }
        return id
    }

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
