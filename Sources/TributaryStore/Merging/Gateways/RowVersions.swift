/// The versions of a visible object: of its registers, its greatest insert and its greatest deletion.
///
/// A row has a common number for all of them, and the exceptions in `_exceptions`. Each exception is a variable-length
/// number, (subject << 2 | form); form 0 is followed by the zigzag difference to the row's number. Spare bytes in a new
/// row keep its length at the first update; otherwise that update would split a page, because SQLite fills its pages.
package struct RowVersions {
    struct Exception: Hashable {
        var column: Int
        var number: Int64?
    }

    package var base: Int64
    package var inserted: Int64
    package var deleted: Int64?
    private(set) var exceptions: [Exception] = []
    private var room: Int?
    private static let spare: UInt8 = 3
    /// Room for an exception with a difference of up to 2^20.
    private static let spareCount = 4
    package static let noneInSQL = "x'03030303'"

    package init(base: Int64) {
        self.base = base
        inserted = base
    }

    private enum Form {
        static let version: UInt64 = 0
        static let absent: UInt64 = 1
        /// The exception has the version of the preceding exception.
        static let again: UInt64 = 2
    }

    private enum Subject {
        static let inserted = 0
        static let deleted = 1
        static let firstColumn = 2
    }

    package init(base: Int64, encoded: UnsafeRawBufferPointer) {
        self.init(base: base)
        room = encoded.count
        var reader = VariableLengthReader(bytes: encoded)
        var previous = base
        while let head = reader.next() {
            if head == UInt64(RowVersions.spare) { continue }
            let form = head & 3
            let subject = Int(head >> 2)
            var number: Int64?
            if form == Form.version {
                guard let delta = reader.next() else { return }
                previous = base &+ (Int64(bitPattern: delta >> 1) ^ -Int64(bitPattern: delta & 1))
                number = previous
            } else if form == Form.again {
                number = previous
            }
            switch subject {
            case Subject.inserted: inserted = number ?? base
            case Subject.deleted: deleted = number
            default: exceptions.append(Exception(column: subject - Subject.firstColumn, number: number))
            }
        }
    }

    package var encoded: [UInt8] {
        var writer = VariableLengthWriter()
        var previous = base
        func append(_ subject: Int, _ number: Int64?) {
            guard let number else { return writer.append(UInt64(subject) << 2 | Form.absent) }
            if number == previous { return writer.append(UInt64(subject) << 2 | Form.again) }
            previous = number
            let difference = number &- base
            writer.append(UInt64(subject) << 2 | Form.version)
            writer.append(UInt64(bitPattern: difference << 1 ^ difference >> 63))
        }
        if inserted != base { append(Subject.inserted, inserted) }
        if let deleted { append(Subject.deleted, deleted) }
        for exception in exceptions { append(Subject.firstColumn + exception.column, exception.number) }
        let spare = max(0, (room ?? writer.bytes.count + RowVersions.spareCount) - writer.bytes.count)
        writer.append(contentsOf: repeatElement(RowVersions.spare, count: spare))
        return writer.bytes
    }

    /// Nil without a write; `isHeld`: whether the column is a register of the object's concrete entity.
    package func register(_ column: Int, isHeld: Bool) -> Int64? {
        for exception in exceptions where exception.column == column { return exception.number }
        return isHeld ? base : nil
    }

    package mutating func setRegister(_ column: Int, to number: Int64?, isHeld: Bool) {
        let isDefault = number == (isHeld ? base : nil)
        let index = exceptions.firstIndex { $0.column >= column } ?? exceptions.count
        let isThere = index < exceptions.count && exceptions[index].column == column
        switch (isThere, isDefault) {
        case (true, true): exceptions.remove(at: index)
        case (true, false): exceptions[index].number = number
        case (false, true): break
        case (false, false): exceptions.insert(Exception(column: column, number: number), at: index)
        }
    }
}
