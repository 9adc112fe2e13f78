public import Foundation
public import TributaryChanges

extension DateValue {
    /// The same date.
    @inlinable
    public init(_ date: Date) { self.init(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate) }

    /// The same date.
    @inlinable public var date: Date { Date(timeIntervalSinceReferenceDate: secondsSinceReferenceDate) }
}
