package import TributaryChanges

/// `<writer>/<sequence>.baseline`.
package struct BaselineName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let writer: UniqueID
    package let sequence: UInt64

    package init(writer: UniqueID, sequence: UInt64) {
        self.writer = writer
        self.sequence = sequence
    }

    package var fileName: String { "\(hexadecimal16(sequence)).baseline" }
    package var path: String { "\(writer)/\(fileName)" }
    package var description: String { path }

    package static func < (left: BaselineName, right: BaselineName) -> Bool {
        (left.writer, left.sequence) < (right.writer, right.sequence)
    }
}

package struct VerifiedBaseline: Hashable, Sendable {
    package let file: String
    package let header: BaselineHeader
    package let writers: [BaselineWriter]
    package let end: SegmentEnd
    let offset: UInt64

    /// Reads the bytes once, with a bounded buffer; throws `damaged` for a wrong hash, and then `rejected` for wrong
    /// lines.
    package static func verify(_ source: some SegmentBytes) throws(SegmentError) -> VerifiedBaseline {
        let tail = try SegmentTail.read(source)
        var lines = BaselineLines()
        try tail.verify(source) { reader throws(SegmentError) in
            while try lines.advance(reader) != nil {}
            try lines.check(tail.end, file: source.file, line: reader.line + 1)
        }
        return VerifiedBaseline(
            file: source.file,
            header: try lines.demandHeader(source.file),
            writers: lines.writers,
            end: tail.end,
            offset: tail.offset
        )
    }
}

/// The first lines and the end line of a baseline; the lines between them are not read.
package struct BaselineSummary: Hashable, Sendable {
    package let header: BaselineHeader
    package let writers: [BaselineWriter]
    /// The hash in the end line; only ``VerifiedBaseline`` compares it with the bytes.
    package let sha256: String
    package let signature: Signature?
    package let bytes: UInt64

    package static func read(_ source: some SegmentBytes) throws(SegmentError) -> BaselineSummary {
        let tail = try SegmentTail.read(source)
        let reader = SegmentLineReader(source, bounds: 0..<tail.offset)
        var lines = BaselineLines()
        while !lines.hasVector {
            guard let line = try reader.next() else {
                let reason = "the baseline breaks off before the lines of its writers"
                throw SegmentError(.rejected, file: source.file, line: reader.line, reason: reason)
            }
            _ = try reader.parse { () throws(JSONError) in try lines.next(line) }
        }
        return BaselineSummary(
            header: try lines.demandHeader(source.file),
            writers: lines.writers,
            sha256: tail.end.sha256,
            signature: tail.end.signature,
            bytes: tail.fileSize
        )
    }
}

/// Reads the lines of a verified baseline one by one, in bounded memory.
///
/// The end is reported only when the bytes still match the verified bytes. Nothing may be committed before.
package final class BaselineReader {
    private let baseline: VerifiedBaseline
    private let lines: SegmentLineReader
    private var content = BaselineLines()

    package init(_ source: some SegmentBytes, _ baseline: VerifiedBaseline) {
        self.baseline = baseline
        lines = SegmentLineReader(source, bounds: 0..<baseline.offset)
    }

    /// Returns the next line after the lines of the writers; nil at the end.
    package func next() throws(SegmentError) -> BaselineEntry? {
        let entry: BaselineEntry?
        do throws(SegmentError) {
            entry = try content.advance(lines)
        } catch {
            guard error.kind == .rejected else { throw error }
            throw changed(error.reason)
        }
        if let entry { return entry }
        guard lines.hashSoFar.finalize().hexadecimal == baseline.end.sha256 else { throw changed("its bytes") }
        return nil
    }

    private func changed(_ what: String) -> SegmentError {
        let reason = "the file was changed after it was verified (\(what))"
        return SegmentError(.changed, file: baseline.file, line: lines.line, reason: reason)
    }
}

extension SegmentEnd {
    fileprivate init(_ counts: BaselineCounts, sha256: String, signature: Signature?) {
        self.init(
            last: UInt64(counts.writers),
            transactions: UInt64(counts.transactions),
            changes: UInt64(counts.changes),
            sha256: sha256,
            signature: signature
        )
    }
}

extension LogFolder {
    /// Writes a baseline and renames it to its final name.
    ///
    /// Writing takes long, so it is staged in a folder of its own, and segments are published meanwhile. A file of this
    /// name with the same bytes is the result of an earlier attempt, which is a success.
    package func publish(
        _ name: BaselineName,
        signedBy key: SigningKey? = nil,
        body: (([UInt8]) throws -> Void) throws -> BaselineCounts
    ) throws -> SegmentEnd {
        let file = FilePublisher.Name(writer: name.writer, fileName: name.fileName, stagingFolder: "baselines")
        return try FilePublisher(logs: self).publish(file) { file in
            // Segments are removed for a baseline, so its lines are checked before publication: readers must accept
            // them.
            var (lines, count) = (BaselineLines(), 0)
            func fault(_ reason: String) -> SegmentError {
                let reason = "no reader would accept the baseline: \(reason)"
                return SegmentError(.rejected, file: file.file, line: count, reason: reason)
            }
            let counts = try body { text in
                count += 1
                guard text.firstIndex(of: 0x0A) == text.count - 1 else { throw fault("the line has no newline") }
                let (length, limit) = (text.count - 1, SegmentLineReader.lineLimit)
                guard length <= limit else { throw fault("the line has \(length) bytes, more than \(limit)") }
                do throws(JSONError) {
                    try text.dropLast().withUnsafeBufferPointer { line throws(JSONError) in _ = try lines.next(line) }
                } catch {
                    throw fault(error.reason)
                }
                try file.write(text)
            }
            guard lines.isComplete, lines.counts == counts else {
                throw fault("the end line would give other numbers of lines")
            }
            let hash = file.digest()
            let signature = key?.sign(SignedText.of(name.path, hash))
            let end = SegmentEnd(counts, sha256: hash, signature: signature)
            try file.finish(with: end.line)
            return end
        }
    }
}

/// Parses and validates the lines of a baseline in order; only the writers stay in memory.
package struct BaselineLines {
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

    package init() {}

    package mutating func next(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> BaselineEntry? {
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
            let change = try parser.change(line)
            return remaining < transaction?.keptCount ?? 0 ? .kept(change) : .change(change)
        }
        let fields = try LineFields(line)
        if !hasTotals, fields.has("transaction") { return .transaction(try begin(fields)) }
        hasTotals = true
        counts.changes += 1
        if fields.has("bound") { return .bound(try BaselineBound(fields)) }
        if fields.has("counter") { return .counter(try counter(fields)) }
        throw JSONError("it is not a line that may follow here in a baseline")
    }

    private mutating func add(_ writer: BaselineWriter) throws(JSONError) {
        guard writers.last.map({ $0.id < writer.id }) ?? true else {
            throw JSONError("the writers are not in the order of their UUIDs")
        }
        seenCount += writer.seen.count
        guard seenCount <= LogLimits.baselineSeenEntries else {
            throw JSONError("the writers have more than \(LogLimits.baselineSeenEntries) entries of 'seen'")
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
        guard transaction.map({ $0.version < next.version }) ?? true else {
            throw JSONError("the transactions are not in the order of their versions")
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

    func demandHeader(_ file: String) throws(SegmentError) -> BaselineHeader {
        guard let header else { throw SegmentError(.rejected, file: file, line: 1, reason: "the header is missing") }
        return header
    }

    mutating func advance(_ reader: SegmentLineReader) throws(SegmentError) -> BaselineEntry? {
        while let line = try reader.next() {
            if let entry = try reader.parse({ () throws(JSONError) in try next(line) }) { return entry }
        }
        return nil
    }

    func check(_ end: SegmentEnd, file: String, line: Int) throws(SegmentError) {
        guard isComplete else {
            throw SegmentError(.rejected, file: file, line: line, reason: "the baseline breaks off before its end line")
        }
        let expected = SegmentEnd(counts, sha256: end.sha256, signature: end.signature)
        guard end == expected else {
            let reason = "the end line does not match the lines before it; it should be: \(expected.line)"
            throw SegmentError(.rejected, file: file, line: line, reason: reason)
        }
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
            throw JSONError("'rules' must have a string for each property of each entity of each root entity")
        }
        let count = try fields.count("writers")
        guard count <= UInt64(LogLimits.baselineWriters) else {
            throw JSONError("there are \(count) writers, more than \(LogLimits.baselineWriters)")
        }
        self.init(model: try fields.shortString("model"), modelHash: modelHash, rules: rules, writerCount: Int(count))
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
        let kept = fields.has("kept") ? try fields.count("kept") : 0
        guard kept <= changes else { throw JSONError("'kept' is \(kept), and the transaction has \(changes) changes") }
        self.init(
            writer: try fields.uniqueID("writer"),
            sequence: try fields.sequence("transaction"),
            clock: try fields.clock(),
            changeCount: Int(clamping: changes),
            keptCount: Int(clamping: kept)
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
        guard case .object(let members)? = fields["totals"], members.count <= LogLimits.baselineWriters else {
            throw JSONError("'totals' is not an object, or has too many members")
        }
        var totals: [UniqueID: JSONValue] = [:]
        for member in members {
            guard let writer = UniqueID(member.key) else {
                throw JSONError("'totals' names '\(member.key.prefix(80))', which is not a UUID")
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
    /// Every accepted sequence has a successor.
    fileprivate func sequence(_ key: String) throws(JSONError) -> UInt64 {
        let sequence = try count(key)
        guard sequence >= 1, sequence < UInt64(Int64.max) else {
            throw JSONError("'\(key)' is \(sequence), which is not a sequence")
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
