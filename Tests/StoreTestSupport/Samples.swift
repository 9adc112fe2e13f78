import TestSupport
package import TributaryChanges

extension UniqueID {
    /// The identifier with a number, for an object or a writer of a test.
    package static func sample(_ number: Int) -> UniqueID {
        UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }
}

extension JSONValue {
    /// A reference to a sample object.
    package static func to(_ id: Int) -> JSONValue { .string(UniqueID.sample(id).description) }

    package static func increment(_ amount: Int64) -> JSONValue {
        .object([JSONMember(key: "increment", value: .integer(amount))])
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByFloatLiteral, ExpressibleByNilLiteral {
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(nilLiteral: ()) { self = .null }
}

extension Change {
    package static func insert(_ entity: String, _ id: Int, _ values: KeyValuePairs<String, JSONValue> = [:]) -> Change
    {
        Change(entity: entity, id: .sample(id), operation: .insert(writes(values)))
    }

    package static func update(_ entity: String, _ id: Int, _ values: KeyValuePairs<String, JSONValue>) -> Change {
        Change(entity: entity, id: .sample(id), operation: .update(writes(values)))
    }

    package static func delete(_ entity: String, _ id: Int) -> Change {
        Change(entity: entity, id: .sample(id), operation: .delete)
    }

    package static func link(_ entity: String, _ id: Int, _ name: String, _ ids: [Int], at positions: [String]? = nil)
        -> Change
    {
        Change(
            entity: entity,
            id: .sample(id),
            operation: .link(to: name, ids: ids.map(UniqueID.sample), positions: positions)
        )
    }

    package static func unlink(_ entity: String, _ id: Int, _ name: String, _ ids: [Int]) -> Change {
        Change(entity: entity, id: .sample(id), operation: .unlink(to: name, ids: ids.map(UniqueID.sample)))
    }

    private static func writes(_ values: KeyValuePairs<String, JSONValue>) -> [PropertyWrite] {
        values.map { PropertyWrite(name: $0.key, value: $0.value) }
    }
}

/// A transaction of another writer, as a segment contains it: its deletions come first.
package struct ForeignTransaction: Hashable, CustomStringConvertible {
    package var writer: UniqueID
    package var header: TransactionHeader
    package var changes: [Change]

    /// Creates a transaction; `clock` counts steps of a coarse grid that all writers share, so that clocks tie.
    package init(_ writer: Int, _ sequence: UInt64, clock: UInt64, seen: [UniqueID: UInt64] = [:], _ changes: Change...)
    {
        self.init(writer, sequence, clock: clock, seen: seen, changes)
    }

    package init(_ writer: Int, _ sequence: UInt64, clock: UInt64, seen: [UniqueID: UInt64] = [:], _ changes: [Change])
    {
        self.writer = .sample(0xF000 + writer)
        header = TransactionHeader(
            sequence: sequence,
            clock: HybridClock(milliseconds: 1_600_000_000_000 + clock * 1000),
            seen: seen,
            changeCount: changes.count
        )
        self.changes = changes.deletionsFirst
    }

    package var description: String { "\(writer) \(header.sequence) @\(header.clock): \(changes)" }
}
