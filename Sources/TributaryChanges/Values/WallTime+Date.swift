package import Foundation

extension WallTime {
    /// The last whole millisecond that is not after the date; dates before 1970 become 1970.
    package init(_ date: Date) {
        let number = (date.timeIntervalSince1970 * 1_000).rounded(.down)
        milliseconds = number > 0 ? UInt64(exactly: number) ?? .max : 0
    }

    package var date: Date { Date(timeIntervalSince1970: unixSeconds) }
}
