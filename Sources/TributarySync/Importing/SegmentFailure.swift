package import TransactionLog

/// The error of a segment that could not be read while it was being applied; nothing of its batch was committed.
package struct SegmentFailure: Error, Sendable {
    package var name: SegmentName
    package var error: SegmentError
}

extension SegmentFailure: CustomStringConvertible {
    package var description: String { error.description }
}
