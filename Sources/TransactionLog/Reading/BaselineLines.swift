import TributaryChanges

/// Parses and validates the lines of a baseline in order: the header, the writers, the transactions with their changes,
/// then greatest and least values and counters.
///
/// The writers are kept, in bounded memory; every other line is handed over and forgotten.
struct BaselineLines {
    static let writerLimit = LogLimits.baselineWriters
    /// The greatest number of entries of `seen` altogether, 40 bytes each.
    static let seenLimit = LogLimits.baselineSeenEntries

    private(set) var header: BaselineHeader?
    private(set) var writers: [BaselineWriter] = []
    private(set) var counts = BaselineCounts()
    private var places: [UniqueID: Int] = [:]
    private var seenCount = 0
    private var transaction: BaselineTransaction?
    private var remaining = 0
    private var hasTotals = false
    private var parser = ChangeLineParser()

    var hasVector: Bool { header.map { $0.writerCount == writers.count } ?? false }

    var isComplete: Bool { hasVector && remaining == 0 }

    mutating func next(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> BaselineEntry? {
        guard !line.isBlank else { throw JSONError("the line is blank") }
        guard let header else {
            header = try BaselineHeader(line: line)
            return nil
        }
        if writers.count < header.writerCount {
            try add(try BaselineWriter(line: line))
            return nil
        }
        if remaining > 0 {
            remaining -= 1
            counts.changes += 1
            return .change(try parser.change(line))
        }
        let fields = try LineFields(line)
        if !hasTotals, fields.has("transaction") { return .transaction(try begin(fields)) }
        hasTotals = true
        counts.changes += 1
        if fields.has("bound") { return .bound(try BaselineBound(fields)) }
        if fields.has("counter") { return .counter(try counter(fields)) }
        throw JSONError("it is no line of a baseline, or not the one that is due")
    }

    private mutating func add(_ writer: BaselineWriter) throws(JSONError) {
        guard writers.last.map({ $0.id < writer.id }) ?? true else {
            throw JSONError("the writers are not in the order of their UUIDs")
        }
        seenCount += writer.seen.count
        guard seenCount <= BaselineLines.seenLimit else {
            throw JSONError("the writers have more than \(BaselineLines.seenLimit) entries of 'seen'")
        }
        places[writer.id] = writers.count
        writers.append(writer)
        counts.writers += 1
    }

    private mutating func begin(_ fields: LineFields) throws(JSONError) -> BaselineTransaction {
        let next = try BaselineTransaction(fields)
        guard let place = places[next.writer], next.sequence <= writers[place].sequence,
            next.clock <= writers[place].clock
        else { throw JSONError("the transaction is not in the vector of the baseline") }
        if let last = transaction {
            guard Version(clock: last.clock, writer: last.writer) < Version(clock: next.clock, writer: next.writer)
            else {
                throw JSONError("the transactions are not in the order of their versions")
            }
        }
        transaction = next
        remaining = next.changeCount
        counts.transactions += 1
        return next
    }

    private func counter(_ fields: LineFields) throws(JSONError) -> BaselineCounter {
        let counter = try BaselineCounter(fields)
        for writer in counter.totals.keys where places[writer] == nil {
            throw JSONError("writer \(writer) of a total is not in the vector of the baseline")
        }
        return counter
    }
}

extension BaselineHeader {
    init(line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        let fields = try LineFields(line)
        let (version, kind) = (try fields.count("tributary"), try fields.count("baseline"))
        guard version == 1 else {
            throw JSONError("the format version 'tributary' is \(version); this program reads version 1")
        }
        guard kind == 1 else {
            throw JSONError("the format version 'baseline' is \(kind); this program reads version 1")
        }
        guard let modelHash = try fields.shortString("modelHash") else {
            throw JSONError("the key 'modelHash' is missing")
        }
        guard let rules = fields["rules"].flatMap(BaselineRules.init) else {
            throw JSONError("'rules' is no text for each property of each entity of each root entity")
        }
        let count = try fields.count("writers")
        guard count <= UInt64(BaselineLines.writerLimit) else {
            throw JSONError("there are \(count) writers, more than \(BaselineLines.writerLimit)")
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
        guard changes > 0 else { throw JSONError("the transaction has no changes") }
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
            throw JSONError("'values' is not an object with one value")
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
            throw JSONError("'totals' is no object, or has too many members")
        }
        var totals: [UniqueID: JSONValue] = [:]
        for member in members {
            guard let writer = UniqueID(member.key) else {
                throw JSONError("'totals' names '\(member.key.prefix(80))', which is no UUID")
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
            throw JSONError("'\(key)' is \(sequence), which is no sequence")
        }
        return sequence
    }

    fileprivate func clock() throws(JSONError) -> HybridClock {
        let text = try string("clock")
        guard let clock = HybridClock(text), clock.isAcceptable else {
            throw JSONError("'clock' is '\(text.prefix(80))', not an acceptable clock")
        }
        return clock
    }
}
