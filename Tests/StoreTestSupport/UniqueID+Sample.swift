package import TributaryChanges

extension UniqueID {
    /// The identifier with a number, for an object or a writer of a test.
    package static func sample(_ number: Int) -> UniqueID {
        UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }
}
