import TributaryChanges

extension Duration {
    /// The duration in whole milliseconds: 0 for a negative duration, at most the greatest 64-bit number.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds)).multipliedSaturating(by: 1000)
            .addingSaturating(UInt64(max(0, attoseconds / 1_000_000_000_000_000)))
    }
}

extension UInt64 {
    /// The wall time, in Unix milliseconds, that is later than this one by a duration; at most the greatest number.
    func later(by duration: Duration) -> UInt64 { addingSaturating(duration.wholeMilliseconds) }
}
