import Glibc
import TransactionLog
import TributaryChanges

struct SegmentReport {
    let path: String
    let file: OpenFile?
    let segment: VerifiedSegment?
    let error: SegmentError?
    let isNameChecked: Bool

    /// A file outside its writer's folder, such as a copy, is compared with its own header only.
    init(path: String, in folder: OpenFolder? = nil, keys: EncryptionKeys = EncryptionKeys()) {
        self.path = path
        isNameChecked = SegmentName(path: path) != nil
        var opened: OpenFile?
        do throws(SegmentError) {
            let file = try OpenFile.open(path: path, in: folder, keys: keys)
            opened = file
            var name = SegmentName(path: path)
            if name == nil { name = try SegmentReport.nameInHeader(of: file) }
            segment = try name.map { name throws(SegmentError) in try SegmentVerifier().verify(file, name: name) }
            error = nil
        } catch {
            segment = nil
            self.error = error
        }
        file = opened
    }

    private static func nameInHeader(of file: OpenFile) throws(SegmentError) -> SegmentName {
        _ = try SegmentTail.read(file)
        return try SegmentHeader.read(file).segmentName
    }

    /// The state in the vocabulary of the admin interface, or "valid".
    var state: String {
        guard let error else { return "valid" }
        switch error.kind {
        case .missing: return "missing"
        case .inputOutput: return "unreadable"
        default: return error.state
        }
    }

    var members: [JSONMember] {
        var members = [
            JSONMember(key: "file", value: .string(path)), JSONMember(key: "state", value: .string(state)),
        ]
        func add(_ key: String, _ value: JSONValue?) {
            if let value { members.append(JSONMember(key: key, value: value)) }
        }
        if let segment {
            add("writer", .string(segment.name.writer.description))
            add("first", .string(hexadecimal16(segment.name.first)))
            add("last", .string(hexadecimal16(segment.name.last)))
            add("transactions", .integer(Int64(clamping: segment.end.transactions)))
            add("changes", .integer(Int64(clamping: segment.end.changes)))
            add("bytes", .integer(Int64(clamping: segment.fileSize)))
            add("sha256", .string(segment.end.sha256))
            add("nameChecked", .boolean(isNameChecked))
        }
        if let error {
            add("writer", error.writer.map { .string($0.description) })
            add("sequence", error.sequence.map { .integer(Int64(clamping: $0)) })
            add("line", error.line.map { .integer(Int64($0)) })
            add("reason", .string(error.reason))
            add("hint", .string(error.offlineHint))
        }
        return members
    }
}

struct SegmentSummary {
    struct Count: Hashable {
        var kind: String
        var entity: String
    }

    let limit: Int
    private(set) var transactions: [TransactionHeader] = []
    private(set) var counts: [Count: Int] = [:]
    private(set) var isCut = false

    mutating func read(_ source: OpenFile, _ segment: VerifiedSegment) throws(SegmentError) {
        let reader = SegmentReader(source, segment: segment)
        while let batch = try reader.nextBatch(limit: 1000) {
            for event in batch.events {
                switch event {
                case .begin(let header):
                    if transactions.count < limit { transactions.append(header) } else { isCut = true }
                case .changes(let changes):
                    for change in changes {
                        let kind = ParsedChange(change).verb.rawValue
                        counts[Count(kind: kind, entity: change.entity), default: 0] += 1
                    }
                case .rows, .end: break
                }
            }
        }
    }

    var table: Table {
        var table = Table("TRANSACTION", "TIME", "CLOCK", "AUTHOR", "CHANGES", "SEEN")
        for transaction in transactions {
            let seen = transaction.seen.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            table.add([
                "\(transaction.sequence)", TimeText.time(transaction.clock.wallTime.unixSeconds),
                transaction.clock.description, transaction.author, "\(transaction.changeCount)",
                seen.isEmpty ? nil : seen.joined(separator: ", "),
            ])
        }
        return table
    }

    var members: [JSONMember] {
        let listed = transactions.map { transaction -> JSONValue in
            var line: [UInt8] = []
            transaction.write(to: &line)
            return (try? JSONParser.parse(line)) ?? .null
        }
        let kinds = counts.sorted { ($0.key.entity, $0.key.kind) < ($1.key.entity, $1.key.kind) }.map {
            JSONValue.members([
                "entity": .string($0.key.entity), "kind": .string($0.key.kind), "count": .count($0.value),
            ])
        }
        return [
            JSONMember(key: "kinds", value: .array(kinds)), JSONMember(key: "list", value: .array(listed)),
            JSONMember(key: "more", value: .boolean(isCut)),
        ]
    }
}

/// The place where the next segment of the writer continues.
struct WriterSegments {
    let next: UInt64
    let previous: String?
    let clock: HybridClock

    init(of writer: UniqueID, in logs: LogFolder) throws(SegmentError) {
        var last: SegmentName?
        var baseline: UInt64 = 0
        for file in try logs.fileNames(of: writer) {
            switch SegmentFileKind.classify(file, writer: writer) {
            case .segment(let name): if name.last > last?.last ?? 0 { last = name }
            case .baseline(let sequence): baseline = max(baseline, sequence)
            case .comparison, .conflictCopy, .misnamed, .ignored: break
            }
        }
        guard let last else {
            next = baseline.addingSaturating(1)
            previous = nil
            clock = .zero
            return
        }
        let segment = try SegmentVerifier().verify(try logs.open(last), name: last)
        next = max(last.last, baseline).addingSaturating(1)
        previous = segment.end.sha256
        clock = segment.greatestClock
    }
}
