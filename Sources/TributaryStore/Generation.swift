/// One unchanging state of the store, and the connections that read it.
///
/// Pinning is done with the writer held and after a checkpoint, so that all its connections begin at the same
/// transaction and the WAL does not grow under a permanent pin. The connections go back to the store when the last
/// reference is gone.
package final class Generation: Sendable {
    /// The number of the newest transaction in it.
    package let number: Int64

    init(number: Int64) {
        self.number = number
    }

    /// Reads at this generation; may be called from any thread, blocks while its connections are busy.
    package func read<T>(_ body: (Reader) throws -> T) throws -> T {
        fatalError("stub")
    }
}
