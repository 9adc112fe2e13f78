import TributaryChanges

/// The number under which the store keeps the version of a write: that of its transaction in the low bits, above them
/// the index of the change in its transaction.
///
/// Changes of one transaction are applied in their order, so that an index is needed only where that order does not
/// tell: from the first change on that is deferred, or that writes a one-to-one relationship. Others have index 0.
enum VersionNumber {
    /// Transactions that a store can number.
    static let transactionBits: Int64 = 36
    static let transactionMask: Int64 = (1 << transactionBits) - 1
    /// Changes behind it share the last index; the order in which they are applied tells them apart.
    static let lastIndex = (1 << 27) - 1

    static func transaction(of number: Int64) -> Int64 { number & transactionMask }

    static func index(of number: Int64) -> Int { Int(number >> transactionBits) }

    /// The version of the change at `index`; never one before that of `number`.
    static func number(_ number: Int64, atLeast index: Int) -> Int64 {
        let index = min(max(index, self.index(of: number)), lastIndex)
        return transaction(of: number) | Int64(index) << transactionBits
    }
}
