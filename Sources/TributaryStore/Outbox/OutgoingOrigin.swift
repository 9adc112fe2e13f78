import TributaryChanges

/// The changes of a local transaction to the store's own records, with the former values.
///
/// When the store becomes another writer, the records of the former one are set back with it.
struct OutgoingOrigin {
    var totals = CountedTotals()
    /// The former entries of `seen` for the writers that the transaction announces.
    var announced: [UniqueID: UInt64] = [:]
    /// The basis of its clock; nil when that is not known, as of batches and of transactions of earlier programs.
    var basis: ClockBasis?

    /// A sequence of writers (16 bytes) and sequences (variable-length numbers); nil when there are none.
    var encodedAnnounced: [UInt8]? {
        guard !announced.isEmpty else { return nil }
        var writer = VariableLengthWriter()
        for (other, sequence) in announced.sorted(by: { $0.key < $1.key }) {
            writer.append(contentsOf: other.bytes)
            writer.append(sequence)
        }
        return writer.bytes
    }

    static func announced(_ bytes: UnsafeRawBufferPointer) -> [UniqueID: UInt64] {
        var reader = VariableLengthReader(bytes: bytes)
        var found: [UniqueID: UInt64] = [:]
        while let other = reader.read(16), let sequence = reader.next() { found[UniqueID(bytes: other)] = sequence }
        return found
    }
}
