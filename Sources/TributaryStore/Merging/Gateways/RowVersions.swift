/// The versions of a visible object: those of its registers, of its greatest insert and of its greatest deletion.
///
/// A row keeps one number that holds for everything, and in `_exceptions` what differs from it. Each exception is a
/// variable-length number, (subject << 2 | form), followed for form 0 by the zigzag difference to the row's number.
struct RowVersions {
    struct Exception: Hashable {
        var column: Int
        /// Nil for a property without a register.
        var number: Int64?
    }

    /// The number that holds where there is no exception.
    var base: Int64
    var inserted: Int64
    var deleted: Int64?
    /// In the order of their columns.
    private(set) var exceptions: [Exception] = []

    /// An object all of whose registers were written by one transaction.
    init(base: Int64) {
        self.base = base
        inserted = base
    }

    private enum Form {
        static let version: UInt64 = 0
        static let absent: UInt64 = 1
        /// The version of the exception before.
        static let again: UInt64 = 2
    }

    private enum Subject {
        static let inserted = 0
        static let deleted = 1
        static let firstColumn = 2
    }

    init(base: Int64, encoded: UnsafeRawBufferPointer) {
        self.init(base: base)
        var reader = VariableLengthReader(bytes: encoded)
        var previous = base
        while let head = reader.next() {
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

    /// Nil when nothing differs from the row's number.
    var encoded: [UInt8]? {
        if exceptions.isEmpty, inserted == base, deleted == nil { return nil }
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
        return writer.bytes
    }

    /// The number of the register's write; nil when there is none.
    ///
    /// `isHeld` says whether the column is a register of the object's concrete entity.
    func register(_ column: Int, isHeld: Bool) -> Int64? {
        for exception in exceptions where exception.column == column { return exception.number }
        return isHeld ? base : nil
    }

    mutating func setRegister(_ column: Int, to number: Int64?, isHeld: Bool) {
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
