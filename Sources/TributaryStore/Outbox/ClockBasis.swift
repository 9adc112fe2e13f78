import TributaryChanges

/// The reason why the clock of a local transaction cannot be less.
struct ClockBasis: Hashable {
    /// The greatest clock of the writes that it has overwritten or outranked, of other writers and of the store's published
    /// transactions.
    var greatest: HybridClock
    /// The store's last published transaction at that time.
    var published: UInt64

    /// The two numbers, of variable length.
    var encoded: [UInt8] {
        var writer = VariableLengthWriter()
        writer.append(greatest.rawValue)
        writer.append(published)
        return writer.bytes
    }

    init(greatest: HybridClock, published: UInt64) {
        self.greatest = greatest
        self.published = published
    }

    /// Reads ``encoded``; nil for other bytes.
    init?(encoded: UnsafeRawBufferPointer) {
        var reader = VariableLengthReader(bytes: encoded)
        guard let clock = reader.next(), let published = reader.next() else { return nil }
        self.init(greatest: HybridClock(rawValue: clock), published: published)
    }
}
