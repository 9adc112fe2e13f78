public import Foundation
public import TributaryChanges

extension DateValue {
    /// Converts a Foundation date without loss.
    @inlinable
    public init(_ date: Date) { self.init(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate) }

    /// The date as Foundation's type.
    @inlinable public var date: Date { Date(timeIntervalSinceReferenceDate: secondsSinceReferenceDate) }
}
