package import TributaryChanges

/// The reason why a store cannot continue as another writer.
package enum WriterMintError: Error, Hashable, Sendable {
    /// A transaction that stays has a clock between the present clock and the new one of another, which has overwritten it
    /// or was overwritten by it, so that its writes would win here and lose elsewhere.
    case restsOnAheadClock(writer: UniqueID, sequence: UInt64, clock: HybridClock)
}

extension WriterMintError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .restsOnAheadClock(let writer, let sequence, let clock):
            "Transaction \(sequence) of writer \(writer), which this store has applied and others may have too, has the "
                + "clock \(clock): changes that were saved here have overwritten it, and cannot get lesser clocks."
        }
    }
}
