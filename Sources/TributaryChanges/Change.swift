package struct Change: Hashable, Sendable {
    package var entity: String
    package var id: UniqueID
    package var operation: Operation

    package init(entity: String, id: UniqueID, operation: Operation) {
        self.entity = entity
        self.id = id
        self.operation = operation
    }

    package enum Operation: Hashable, Sendable {
        case insert([PropertyWrite])
        case update([PropertyWrite])
        case delete
        /// `positions` is set for ordered relationships and has one element for each ID.
        case link(to: String, ids: [UniqueID], positions: [String]?)
        case unlink(to: String, ids: [UniqueID])
    }
}

package struct PropertyWrite: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}

package struct LogTransaction: Hashable, Sendable {
    package var header: TransactionHeader
    package var changes: [Change]

    package init(header: TransactionHeader, changes: [Change]) {
        self.header = header
        self.changes = changes
    }
}

package struct TransactionHeader: Hashable, Sendable {
    /// The number of the transaction: 1, 2, 3 … for each writer, without gaps.
    package var sequence: UInt64
    package var clock: HybridClock
    package var author: String?
    /// The last applied sequence of each other writer; only entries that changed since the previous transaction.
    package var seen: [UniqueID: UInt64]
    package var changeCount: Int

    package init(
        sequence: UInt64,
        clock: HybridClock,
        author: String? = nil,
        seen: [UniqueID: UInt64] = [:],
        changeCount: Int
    ) {
        self.sequence = sequence
        self.clock = clock
        self.author = author.map(LogLimits.cut)
        self.seen = seen
        self.changeCount = changeCount
    }
}

// MARK: The lines of the log

extension Change {
    package var line: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    package func write(to bytes: inout [UInt8]) {
        let verb: StaticString =
            switch operation {
            case .insert: "{\"insert\":"
            case .update: "{\"update\":"
            case .delete: "{\"delete\":"
            case .link: "{\"link\":"
            case .unlink: "{\"unlink\":"
            }
        bytes.append(verb)
        JSONValue.write(string: entity, to: &bytes)
        bytes.append(",\"id\":")
        bytes.append(quoted: id)
        switch operation {
        case .insert(let writes), .update(let writes):
            bytes.append(",\"values\":{")
            bytes.append(list: writes) { write, bytes in
                JSONValue.write(string: write.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                write.value.write(to: &bytes)
            }
            bytes.append("}")
        case .delete: break
        case .link(let relationship, let ids, let positions):
            Change.write(relationship, ids, to: &bytes)
            if let positions {
                bytes.append(",\"positions\":")
                JSONValue.array(positions.map { .string($0) }).write(to: &bytes)
            }
        case .unlink(let relationship, let ids): Change.write(relationship, ids, to: &bytes)
        }
        bytes.append("}\n")
    }

    private static func write(_ relationship: String, _ ids: [UniqueID], to bytes: inout [UInt8]) {
        bytes.append(",\"to\":")
        JSONValue.write(string: relationship, to: &bytes)
        bytes.append(",\"ids\":[")
        bytes.append(list: ids) { id, bytes in bytes.append(quoted: id) }
        bytes.append("]")
    }
}

extension TransactionHeader {
    package func write(to bytes: inout [UInt8]) {
        bytes.append("{\"transaction\":")
        bytes.append(contentsOf: String(sequence).utf8)
        bytes.append(",\"clock\":\"")
        bytes.append(contentsOf: clock.description.utf8)
        bytes.append("\"")
        if let author {
            bytes.append(",\"author\":")
            JSONValue.write(string: author, to: &bytes)
        }
        if !seen.isEmpty {
            bytes.append(",\"seen\":{")
            bytes.append(list: seen.sorted { $0.key < $1.key }) { entry, bytes in
                bytes.append(quoted: entry.key)
                bytes.append(UInt8(ascii: ":"))
                bytes.append(contentsOf: String(entry.value).utf8)
            }
            bytes.append("}")
        }
        bytes.append(",\"changes\":")
        bytes.append(contentsOf: String(changeCount).utf8)
        bytes.append("}\n")
    }
}

extension LogTransaction {
    /// In bytes; a single line may be longer.
    package static let pieceSize = 256 << 10

    package var lines: [UInt8] {
        var bytes: [UInt8] = []
        header.write(to: &bytes)
        for change in changes { change.write(to: &bytes) }
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func append(quoted id: UniqueID) {
        append(UInt8(ascii: "\""))
        withUnsafeTemporaryAllocation(byteCount: 36, alignment: 8) { buffer in
            id.writeText(to: buffer)
            append(contentsOf: buffer)
        }
        append(UInt8(ascii: "\""))
    }
}
