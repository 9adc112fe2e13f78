import TributaryChanges

/// The number under which the store keeps the version of a write.
///
/// The low bits are the number of the transaction, and the bits above them the index of the change in its transaction.
/// Changes of one transaction are applied in order, so an index is needed only where the order of application does not
/// determine the version: from the first change on that is deferred or that writes a one-to-one relationship. Other
/// changes have index 0.
package enum VersionNumber {
    /// The bits for the number of a transaction.
    static let transactionBits: Int64 = 36
    package static let transactionMask: Int64 = (1 << transactionBits) - 1
    /// The greatest index; later changes share it, and the order of their application distinguishes them.
    static let lastIndex = (1 << 27) - 1

    static func transaction(of number: Int64) -> Int64 { number & transactionMask }

    static func index(of number: Int64) -> Int { Int(number >> transactionBits) }

    /// The version of the change at `index`, never less than the version of `number`.
    static func number(_ number: Int64, atLeast index: Int) -> Int64 {
        #if MUTATIONS
            if Mutation.isOn(.indexIgnoredInVersion) { return number }
        #endif
        let index = min(max(index, self.index(of: number)), lastIndex)
        return transaction(of: number) | Int64(index) << transactionBits
    }
}
