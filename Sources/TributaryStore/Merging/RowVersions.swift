/// The versions of a visible object: those of its registers, of its insertion and of its last deletion.
///
/// A row keeps one number that holds for everything, and in `_exceptions` what differs from it. Each exception is a
/// variable-length number, (what << 2 | form), followed for form 0 by the zigzag difference to the row's number.
struct RowVersions {
    struct Exception: Hashable {
        var place: Int
        /// Nil for a property without a register.
        var number: Int64?
    }

    /// What holds where there is no exception.
    var base: Int64
    var inserted: Int64
    var deleted: Int64?
    /// In order of their places.
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

    private enum What {
        static let inserted = 0
        static let deleted = 1
        static let firstPlace = 2
    }

    init(base: Int64, encoded: UnsafeRawBufferPointer) {
        self.init(base: base)
        var reader = VariableLengthReader(bytes: encoded)
        var previous = base
        while let head = reader.next() {
            let form = head & 3
            let what = Int(head >> 2)
            var number: Int64?
            if form == Form.version {
                guard let delta = reader.next() else { return }
                previous = base &+ (Int64(bitPattern: delta >> 1) ^ -Int64(bitPattern: delta & 1))
                number = previous
            } else if form == Form.again {
                number = previous
            }
            switch what {
            case What.inserted: inserted = number ?? base
            case What.deleted: deleted = number
            default: exceptions.append(Exception(place: what - What.firstPlace, number: number))
            }
        }
    }

    /// Nil when there is nothing to say.
    var encoded: [UInt8]? {
        if exceptions.isEmpty, inserted == base, deleted == nil { return nil }
        var writer = VariableLengthWriter()
        var previous = base
        func append(_ what: Int, _ number: Int64?) {
            guard let number else { return writer.append(UInt64(what) << 2 | Form.absent) }
            if number == previous { return writer.append(UInt64(what) << 2 | Form.again) }
            previous = number
            let difference = number &- base
            writer.append(UInt64(what) << 2 | Form.version)
            writer.append(UInt64(bitPattern: difference << 1 ^ difference >> 63))
        }
        if inserted != base { append(What.inserted, inserted) }
        if let deleted { append(What.deleted, deleted) }
        for exception in exceptions { append(What.firstPlace + exception.place, exception.number) }
        return writer.bytes
    }

    /// The number of the register's write; nil when there is none.
    ///
    /// `isHeld` says whether the column is a register of the object's concrete entity.
    func register(_ place: Int, isHeld: Bool) -> Int64? {
        for exception in exceptions where exception.place == place { return exception.number }
        return isHeld ? base : nil
    }

    mutating func setRegister(_ place: Int, to number: Int64?, isHeld: Bool) {
        let isDefault = number == (isHeld ? base : nil)
        let index = exceptions.firstIndex { $0.place >= place } ?? exceptions.count
        let isThere = index < exceptions.count && exceptions[index].place == place
        switch (isThere, isDefault) {
        case (true, true): exceptions.remove(at: index)
        case (true, false): exceptions[index].number = number
        case (false, true): break
        case (false, false): exceptions.insert(Exception(place: place, number: number), at: index)
        }
    }
}
