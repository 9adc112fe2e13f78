import TributaryChanges

/// The writes to one deferred register, merged one after the other: each transaction counts with one write.
///
/// The writes come transaction after transaction and, within one, in the order of its changes. The write of a
/// transaction then meets those of other transactions.
struct DeferredContest<Value> {
    typealias Write = Register<Int64, Value>

    /// The greatest write of the transactions before that of `last`.
    private var greatest: Write?
    /// The write of the transaction that came last.
    private var last: (write: Write, name: WrittenName)?

    /// Merges a write; of those of one transaction under one name the last one counts, else that under the greater
    /// name.
    ///
    /// The values of an insert yield to others of its transaction that inserts the object under a greater entity as
    /// well.
    mutating func merge(
        _ write: Write,
        named name: WrittenName,
        yields: Bool = false,
        by versions: VersionCache
    ) throws {
        if let last, last.write.version == write.version {
            if yields || name < last.name { return }
        } else {
            greatest = try winner(by: versions)
        }
        last = (write, name)
    }

    /// The write that stands.
    ///
    /// - Throws: What `versions` throws.
    func winner(by versions: VersionCache) throws -> Write? {
        guard let greatest, let last = last?.write else { return last?.write }
        return try versions.isOlder(last.version, than: greatest.version) ? greatest : last
    }
}
