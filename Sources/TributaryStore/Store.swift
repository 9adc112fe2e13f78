package import TributaryModel

/// One SQLite file with the state of the merge, its history and its positions. One connection writes, first come,
/// first served; readers see one generation each.
package final class Store: Sendable {
    package let configuration: StoreConfiguration
    package var model: Model { configuration.model }

    private init(configuration: StoreConfiguration) {
        self.configuration = configuration
    }

    /// Opens the store, creates it when there is none, migrates it when the model has grown.
    package static func open(_ configuration: StoreConfiguration) throws(StoreError) -> Store {
        fatalError("stub")
    }

    /// Runs `body` in one SQLite transaction on the writer connection, in turn. Everything is rolled back when it
    /// throws. Blocks the calling thread until its turn is over.
    package func write<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
        fatalError("stub")
    }

    /// The same without blocking a thread while waiting for the turn.
    package func writeInTurn<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T
    {
        fatalError("stub")
    }

    /// Reads what is committed when it begins.
    package func read<T>(_ body: (Reader) throws -> T) throws -> T {
        fatalError("stub")
    }

    /// A generation of the store as of now, which stays as it is while others write.
    package func pin() throws -> Generation {
        fatalError("stub")
    }

    /// Checkpoints the WAL and closes every connection. Later calls throw `StoreError.closed`.
    package func close() throws {
        fatalError("stub")
    }
}
