/// The transaction that a write belongs to: its writer, and its sequence among the writer's transactions.
@usableFromInline
package struct WriteOrigin<Writer: Hashable>: Hashable {
    @usableFromInline package var writer: Writer
    @usableFromInline package var sequence: UInt64

    @inlinable
    package init(writer: Writer, sequence: UInt64) {
        self.writer = writer
        self.sequence = sequence
    }
}

extension WriteOrigin: Sendable where Writer: Sendable {}
