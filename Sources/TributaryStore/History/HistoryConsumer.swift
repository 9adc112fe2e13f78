/// One who reads history and has asked for it to be kept.
package struct HistoryConsumer: Sendable, Hashable {
    package var name: String
    /// Everything up to this transaction has been dealt with.
    package var number: Int64
    /// Unix seconds of the last time it was heard of.
    package var heardAt: Double
}
