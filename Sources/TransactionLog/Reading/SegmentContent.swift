import CLinux
import TributaryChanges

/// What has been learnt of a segment while its lines are checked one after the other.
struct SegmentContent {
    private let name: SegmentName
    private let sliceChanges: Int
    private let dependenciesAfter: UInt64
    private var scanner = JSONScanner(depthLimit: JSONParser.logDepth)
    private var templates = LineTemplates()
    private var mayNameBlobs = false

    /// A slice ends with the transaction that brings it to 4 MiB.
    private static let sliceBytes: UInt64 = 4 << 20

    private static let blobKey = Array("\"blob\"".utf8)

    private var header: SegmentHeader?
    private var firstClock: HybridClock?
    private var clock = HybridClock.zero
    private var transactions: UInt64 = 0
    private var changes: UInt64 = 0
    private var dependencies: [VerifiedSegment.Dependency] = []
    private var dependencyEntries = 0
    private var plannedThrough: UInt64?
    private var slices: [VerifiedSegment.Slice] = []

    /// The slice that has begun.
    private var sliceFirst: UInt64?
    private var sliceLine = 0
    private var sliceStart: UInt64 = 0
    private var sliceCount = 0
    private var hashBeforeSlice = SHA256()

    init(name: SegmentName, sliceChanges: Int, dependenciesAfter: UInt64) {
        self.name = name
        self.sliceChanges = sliceChanges
        self.dependenciesAfter = dependenciesAfter
    }

    /// Checks all lines before the end line.
    mutating func read(_ reader: SegmentLineReader, file: String) throws(SegmentError) {
        guard let line = try reader.next() else {
            throw SegmentError(.rejected, file: file, line: 1, reason: "there is no header before the end line")
        }
        do throws(JSONError) {
            let header = try SegmentHeader(line: line)
            try header.check(against: name)
            self.header = header
        } catch {
            throw SegmentError(.rejected, file: file, line: 1, reason: error.reason)
        }
        hashBeforeSlice = reader.hashSoFar
        sliceStart = reader.position
        while let line = try reader.next() {
            let sequence = nextSequence
            let transaction: TransactionHeader
            do throws(JSONError) {
                transaction = try begin(line)
            } catch {
                throw SegmentError(.rejected, file: file, line: reader.line, sequence: sequence, reason: error.reason)
            }
            if sliceFirst == nil {
                sliceFirst = transaction.sequence
                sliceLine = reader.line
            }
            try read(transaction, reader, file: file)
            if sliceCount >= sliceChanges || reader.position - sliceStart >= SegmentContent.sliceBytes {
                endSlice(reader)
            }
        }
        endSlice(reader)
    }

    /// Checks the end line's counts.
    func check(_ end: SegmentEnd, line: Int, file: String) throws(SegmentError) {
        let reason: String
        if name.first + transactions - 1 != name.last {
            reason = "the transactions end with \(name.first + transactions - 1), the name says \(name.last)"
        } else if end.last != name.last {
            reason = "the end line says \(end.last), the last transaction is \(name.last)"
        } else if end.transactions != transactions {
            reason = "the end line counts \(end.transactions) transactions, there are \(transactions)"
        } else if end.changes != changes {
            reason = "the end line counts \(end.changes) changes, there are \(changes)"
        } else {
            return
        }
        throw SegmentError(.rejected, file: file, line: line, reason: reason)
    }

    func verified(tail: SegmentTail, file: String) throws(SegmentError) -> VerifiedSegment {
        guard let header, let firstClock else {
            throw SegmentError(.rejected, file: file, line: 1, reason: "there are no transactions")
        }
        return VerifiedSegment(
            name: name,
            file: file,
            header: header,
            end: tail.end,
            fileSize: tail.fileSize,
            firstClock: firstClock,
            greatestClock: clock,
            dependencies: dependencies,
            plannedThrough: plannedThrough ?? name.last,
            slices: slices,
            mayNameBlobs: mayNameBlobs
        )
    }

    private var nextSequence: UInt64 { name.first + transactions }

    /// Checks a transaction line.
    private mutating func begin(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> TransactionHeader {
        guard !line.isBlank else { throw JSONError(offset: 0, reason: "the line is blank") }
        let transaction: TransactionHeader
        do throws(JSONError) {
            transaction = try TransactionHeader(line: line, writer: name.writer)
        } catch {
            throw JSONError(offset: error.offset, reason: "a transaction line is due here: \(error.reason)")
        }
        guard transaction.sequence == nextSequence else {
            throw JSONError(
                offset: 0,
                reason: "transaction \(transaction.sequence) stands where \(nextSequence) is due"
            )
        }
        guard transaction.sequence <= name.last else {
            throw JSONError(offset: 0, reason: "transaction \(transaction.sequence) is past the range of the name")
        }
        guard transaction.clock > clock else {
            throw JSONError(offset: 0, reason: "clock \(transaction.clock) is not after \(clock), the one before")
        }
        guard transaction.clock.isAcceptable else {
            throw JSONError(offset: 0, reason: "clock \(transaction.clock) lies in the last year before 2^64")
        }
        clock = transaction.clock
        if firstClock == nil { firstClock = transaction.clock }
        note(transaction)
        return transaction
    }

    private mutating func note(_ transaction: TransactionHeader) {
        guard transaction.sequence > dependenciesAfter, !transaction.seen.isEmpty, plannedThrough == nil else { return }
        let entries = dependencyEntries + transaction.seen.count
        guard dependencies.count < SegmentVerifier.dependencyLimit, entries <= SegmentVerifier.dependencyEntryLimit
        else {
            plannedThrough = transaction.sequence - 1
            return
        }
        dependencyEntries = entries
        dependencies.append(.init(sequence: transaction.sequence, seen: transaction.seen))
    }

    /// Checks the change lines of a transaction.
    private mutating func read(
        _ transaction: TransactionHeader,
        _ reader: SegmentLineReader,
        file: String
    ) throws(SegmentError) {
        let announced = transaction.changeCount
        func rejected(_ reason: String, line: Int) -> SegmentError {
            SegmentError(.rejected, file: file, line: line, sequence: transaction.sequence, reason: reason)
        }
        for index in 0..<announced {
            guard let line = try reader.next() else {
                let reason = "\(announced) changes are announced, the segment ends after \(index)"
                throw rejected(reason, line: reader.line + 1)
            }
            if templates.covers(line, &scanner) { continue }
            guard !line.isBlank else { throw rejected("the line is blank", line: reader.line) }
            scanner.begin(line)
            do throws(JSONError) {
                _ = try ChangeLine(&scanner, builds: false)
            } catch {
                guard let fields = try? LineFields(line), fields.has("transaction") else {
                    throw rejected(error.reason, line: reader.line)
                }
                throw rejected("\(announced) changes are announced, only \(index) follow", line: reader.line)
            }
            // The values of a line that is like a template are plain, and a blob is an object.
            if !templates.learn(line, &scanner), !mayNameBlobs { mayNameBlobs = line.contains(SegmentContent.blobKey) }
        }
        transactions += 1
        changes += UInt64(announced)
        sliceCount += announced + 1
    }

    private mutating func endSlice(_ reader: SegmentLineReader) {
        guard let first = sliceFirst else { return }
        let last = nextSequence - 1
        let position = reader.position
        let hash = reader.hashSoFar
        slices.append(
            VerifiedSegment.Slice(
                first: first,
                last: last,
                changes: sliceCount - Int(last - first + 1),
                line: sliceLine,
                bounds: sliceStart..<position,
                hashBefore: hashBeforeSlice,
                digest: hash.finalize()
            )
        )
        hashBeforeSlice = hash
        sliceFirst = nil
        sliceStart = position
        sliceCount = 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }

    /// Whether the bytes of `key` lie in it.
    ///
    /// A key with escapes is not found; no writer of ours escapes "blob".
    func contains(_ key: [UInt8]) -> Bool {
        guard let baseAddress, count >= key.count else { return false }
        return key.withUnsafeBytes { key in
            guard let needle = key.baseAddress else { return true }
            return clinux_contains(baseAddress, count, needle, key.count) != 0
        }
    }
}
