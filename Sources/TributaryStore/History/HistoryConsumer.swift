package import TributaryChanges

package struct HistoryConsumer: Sendable, Hashable {
    package var name: String
    /// The consumer has processed everything up to this transaction.
    package var number: Int64
    /// The time of the consumer's last sign of life.
    package var heardAt: WallTime
}
