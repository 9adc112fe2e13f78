import TributaryChanges

/// The writes to one deferred register, merged one after the other: each transaction counts with its last write.
///
/// The writes come in the order of their transactions and, within one, of their changes. The last write of a transaction
/// then meets those of other transactions, clones of its writer included, whose equal versions the values decide.
struct DeferredContest<Value> {
    typealias Write = Register<DeferredVersion, Value>

    /// The greatest write of the transactions before that of `last`.
    private var greatest: Write?
    /// The last write of the transaction that came last.
    private var last: Write?

    mutating func merge(
        _ write: Write,
        by order: DeferredVersionOrder,
        _ precedes: (Value, Value) -> Bool
    ) throws {
        if let last, order.areOfOneTransaction(last.version, write.version) {
            if try !order.isOlder(write.version, than: last.version) { self.last = write }
            return
        }
        greatest = try winner(by: order, precedes)
        last = write
    }

    /// The write that stands.
    ///
    /// - Throws: What `order` throws.
    func winner(by order: DeferredVersionOrder, _ precedes: (Value, Value) -> Bool) throws -> Write? {
        guard let greatest, let last else { return last }
        if try order.areOfClones(greatest.version, last.version) {
            return precedes(greatest.value, last.value) ? last : greatest
        }
        return try order.isOlder(last.version, than: greatest.version) ? greatest : last
    }
}
