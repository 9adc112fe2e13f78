import Dispatch

extension Generation {
    /// Reads at this generation on any thread; blocks while all its connections are busy.
    package func read<T>(_ block: (Reader) throws -> T) throws -> T {
        var generation = self
        while true {
            if let held = generation.held() { return try read(on: held, block) }
            let semaphore = DispatchSemaphore(value: 0)
            switch generation.lease(isLimited: false, wake: { { _ = semaphore.signal() } }) {
            case .moved(let next): generation = next
            case .failed: throw StoreError.closed
            case .wait: semaphore.wait()
            case .connection(let connection):
                defer { generation.giveBack(connection) }
                return try generation.holding(connection) { try read(on: connection, block) }
            }
        }
    }

    private func read<T>(on connection: StoreConnection, _ block: (Reader) throws -> T) throws -> T {
        try connection.run { database in
            try StoreError.mapping { try block(Reader(database: database, context: context)) }
        }
    }
}
