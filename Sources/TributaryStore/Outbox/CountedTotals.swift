package import TributaryChanges

/// The counters that a local transaction has counted, each with its writer's total before and the amounts in order.
///
/// The total before says whether the writer had one.
package struct CountedTotals {
    package struct Counter: Hashable {
        package var root: Int64
        package var id: UniqueID
        package var place: Int64
    }

    struct Count {
        /// The total before; nil when the writer had not counted.
        var before: PropertyValue?
        var amounts: [PropertyValue]

        /// The total that the amounts add up to when they are added to `total`.
        func added(to total: PropertyValue?) -> PropertyValue? {
            amounts.reduce(total) { sum, amount in CounterTotals.sum(sum, amount) }
        }
    }

    private(set) var counts: [Counter: Count] = [:]

    init() {}

    mutating func add(_ amount: PropertyValue, to counter: Counter, before: PropertyValue?) {
        counts[counter, default: Count(before: before, amounts: [])].amounts.append(amount)
    }

    /// Gives the counters their places in another model; those without a place are left out.
    func moved(_ place: (Counter) -> Counter?) -> CountedTotals {
        var result = CountedTotals()
        for (counter, count) in counts {
            if let moved = place(counter) { result.counts[moved] = count }
        }
        return result
    }

    mutating func setTotal(before: PropertyValue?, of counter: Counter) { counts[counter]?.before = before }

    /// For each counter its root, its identifier, its column, the total before and the amounts; nil without counters.
    var encoded: [UInt8]? {
        guard !counts.isEmpty else { return nil }
        var writer = VariableLengthWriter()
        for (counter, count) in counts {
            writer.append(UInt64(bitPattern: counter.root))
            writer.append(contentsOf: counter.id.bytes)
            writer.append(UInt64(bitPattern: counter.place))
            (count.before ?? .null).pack(into: &writer)
            writer.append(UInt64(count.amounts.count))
            for amount in count.amounts { amount.pack(into: &writer) }
        }
        return writer.bytes
    }

    init(encoded bytes: UnsafeRawBufferPointer) {
        var reader = VariableLengthReader(bytes: bytes)
        while let root = reader.next(), let id = reader.read(16), let place = reader.next(),
            let before = PropertyValue(unpacking: &reader), let count = reader.next()
        {
            var amounts: [PropertyValue] = []
            for _ in 0..<count {
                guard let amount = PropertyValue(unpacking: &reader) else { return }
                amounts.append(amount)
            }
            let counter = Counter(
                root: Int64(bitPattern: root),
                id: UniqueID(bytes: id),
                place: Int64(bitPattern: place)
            )
            counts[counter] = Count(before: before.isNull ? nil : before, amounts: amounts)
        }
    }
}
