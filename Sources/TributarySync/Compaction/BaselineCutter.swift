import Glibc
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// Writes a state of a store into the log folder as a baseline, or compares it with one.
///
/// The reader stays at one generation.
struct BaselineCutter {
    let logs: LogFolder
    /// The key and the label of the store that signs what is published; nil for none.
    var signer: (key: SigningKey, store: UniqueID)?
    let cancellation: ReadCancellation
    let progress: @Sendable (Int64) -> Void

    /// - Returns: The end line.
    /// - Throws: ``SegmentError`` `forked` when the name is taken by other bytes, `rejected` when no reader would
    ///   accept it, `missing` when the folder has nothing of the writer; ``StoreError``, and `CancellationError`.
    func publish(_ name: BaselineName, _ reader: Reader) throws -> BaselineEnd {
        try demandFolder(of: name.writer)
        try publishBlobs(of: name.writer, reader)
        return try logs.publish(name, signedBy: signer?.key) { write in try forEachLine(of: reader, write) }
    }

    /// Compares a baseline with the state of a reader at its vector.
    ///
    /// - Throws: ``SegmentError`` when the baseline cannot be read, or is not the known one; ``StoreError``, and
    ///   `CancellationError`.
    func compare(_ baseline: KnownBaseline, _ reader: Reader, as writer: UniqueID) throws -> BaselineComparison {
        let file = try logs.open(fileName: baseline.name.fileName, writer: baseline.name.writer)
        let lines = SegmentLineReader(file, bounds: 0..<(try file.size()))
        var (hash, difference, differing) = (SHA256(), String?.none, 0)
        _ = try forEachLine(of: reader) { line in
            hash.update(data: line)
            guard difference == nil else { return }
            let theirs = try lines.next()
            guard theirs?.elementsEqual(line.dropLast()) != true else { return }
            differing = lines.line
            difference =
                "line \(lines.line) is \(BaselineCutter.excerpt(theirs.map(Array.init))), and here "
                + BaselineCutter.excerpt(Array(line.dropLast()))
        }
        #if MUTATIONS
            let isEqual = Mutation.isOn(.endorsedUncompared) || hash.finalize().hexadecimal == baseline.sha256
        #else
            let isEqual = hash.finalize().hexadecimal == baseline.sha256
        #endif
        if !isEqual {
            guard try differing != 1 && !reader.hasForeignRules else {
                throw ScratchRebuild.Obstacle(
                    description:
                        "The store or its maker has joined a baseline of another version of the model, so that "
                        + "they may have kept other writes that this version does not know."
                )
            }
            if try differing > 1 && differing <= 1 + reader.writers.all().count && reader.baseline.leavesOutSeen {
                throw ScratchRebuild.Obstacle(
                    description: "There are so many stores that the two have left out other acknowledgements."
                )
            }
            if try differing != 1 && isEqualInKnownParts(baseline, reader) {
                throw ScratchRebuild.Obstacle(
                    description:
                        "The two differ only in entities and properties that the model lacks. A machine that has had "
                        + "them in an older version of its model keeps fewer of such writes."
                )
            }
        }
        return BaselineComparison(
            BaselineComparison.Name(writer: writer, of: baseline.name),
            sha256: baseline.sha256,
            difference: isEqual ? nil : difference ?? "it has more lines"
        )
    }

    /// Compares the two without the entities and properties that the model lacks.
    ///
    /// Reads both once; the IDs that one transaction inserts are in memory.
    private func isEqualInKnownParts(_ baseline: KnownBaseline, _ reader: Reader) throws -> Bool {
        let file = try logs.open(fileName: baseline.name.fileName, writer: baseline.name.writer)
        let lines = SegmentLineReader(file, bounds: 0..<(try file.size()))
        var theirs = KnownParts(model: reader.context.layout.model)
        var own = theirs
        var waiting: [[UInt8]] = []
        var isEqual = true
        _ = try forEachLine(of: reader) { line in
            for part in own.parts(of: Array(line.dropLast())) where isEqual {
                while waiting.isEmpty, let next = try lines.next() { waiting = theirs.parts(of: Array(next)) }
                isEqual = waiting.first == part
                if isEqual { waiting.removeFirst() }
            }
        }
        while isEqual, waiting.isEmpty, let next = try lines.next() { waiting = theirs.parts(of: Array(next)) }
        return isEqual && waiting.isEmpty
    }

    /// Publishes what was found in a baseline, in the place of a file that is no comparison.
    func publish(_ found: BaselineComparison) throws {
        try demandFolder(of: found.name.writer)
        try logs.remove([found.name.fileName], of: found.name.writer)
        let signed = signer.map { found.signed(by: $0.key, of: $0.store) }
        try (signed ?? found).publish(logs)
    }

    private static func excerpt(_ line: [UInt8]?) -> String {
        line.map { String(decoding: $0.prefix(300), as: UTF8.self) } ?? "missing"
    }

    /// The folder may be the mount point of an unmounted share.
    private func demandFolder(of writer: UniqueID) throws(SegmentError) {
        guard logs.lacksFolder(of: writer) else { return }
        throw SegmentError(.missing, file: logs.path, reason: "the folder has nothing of this store")
    }

    private func forEachLine(of reader: Reader, _ body: ([UInt8]) throws -> Void) throws -> BaselineCounts {
        try reader.baseline.forEachLine { count in
            if cancellation.isCancelled { throw CancellationError() }
            progress(Int64(count))
        } _: {
            if cancellation.isCancelled { throw CancellationError() }
            try body($0)
        }
    }

    /// Puts large values into the log folder that the baseline names and no writer's folder has.
    ///
    /// Segments have most values in their lines, which go with them.
    private func publishBlobs(of writer: UniqueID, _ reader: Reader) throws {
        let blobs = BaselineBlobs(logs: logs, writers: try reader.writers.all().map(\.id))
        try reader.externalValues.forEachBlobOfBaseline { sha256, size in
            if cancellation.isCancelled { throw CancellationError() }
            guard (try? blobs.holder(of: sha256, size: size)) == nil else { return }
            try logs.publishBlob(sha256, of: writer) { take in
                try reader.externalValues.read(sha256, size: size, take)
            }
        }
    }
}

/// The lines of a baseline without the entities and properties that a model lacks, and without counts of changes.
private struct KnownParts {
    let model: Model
    /// The first line of a transaction, until one of its changes follows.
    private var begin: [UInt8]?
    /// The inserts of the transaction: values without a rule have lines of their own, with the insert once more.
    private var inserted: Set<[JSONValue]> = []

    init(model: Model) { self.model = model }

    mutating func parts(of line: [UInt8]) -> [[UInt8]] {
        guard case .object(let members)? = try? JSONParser.parse(line), let first = members.first else { return [line] }
        switch first.key {
        case "transaction":
            begin = JSONValue.object(members.filter { $0.key != "changes" }).canonicalBytes
            inserted.removeAll()
            return []
        case "end": return []
        case "insert", "update", "delete", "link", "unlink", "counter":
            guard let part = known(members, first) else { return [] }
            defer { begin = nil }
            return (begin.map { [$0] } ?? []) + [part.canonicalBytes]
        default: return [line]
        }
    }

    private mutating func known(_ members: [JSONMember], _ first: JSONMember) -> JSONValue? {
        guard case .string(let name) = first.value, let entity = model.entity(named: name) else { return nil }
        func isKnown(_ property: JSONValue?) -> Bool {
            guard case .string(let name)? = property else { return true }
            return entity.property(named: name) != nil
        }
        let whole = JSONValue.object(members)
        guard isKnown(whole["to"]), isKnown(whole["property"]) else { return nil }
        guard first.key == "insert" || first.key == "update" else { return whole }
        var kept: [JSONMember] = []
        if case .object(let values)? = whole["values"] {
            kept = values.filter { entity.property(named: $0.key) != nil }
        }
        let isFirst = first.key == "insert" && inserted.insert([first.value, whole["id"] ?? .null]).inserted
        guard isFirst || !kept.isEmpty else { return nil }
        return .object(members.filter { $0.key != "values" } + [JSONMember(key: "values", value: .object(kept))])
    }
}
