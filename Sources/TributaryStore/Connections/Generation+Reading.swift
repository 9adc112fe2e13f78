import Dispatch

extension Generation {
    /// Reads at this generation on any thread; blocks while all its connections are busy.
    package func read<T>(_ block: (Reader) throws -> T) throws -> T {
        try blockingRead(isLimited: false) { connection in
            try connection.run { database in
                try StoreError.mapping { try block(Reader(database: database, context: self.context)) }
            }
        }
    }

    /// Reads for at most the given time; the time of waiting for a connection does not count.
    ///
    /// - Throws: `StoreError.timedOut` when the time is over.
    package func read<T>(timeout: Duration, _ block: (Reader) throws -> T) throws -> T {
        try blockingRead(isLimited: true) { connection in
            try connection.run { database in
                try database.limited(to: timeout) {
                    try StoreError.mapping { try block(Reader(database: database, context: self.context)) }
                }
            }
        }
    }

    private func blockingRead<T>(isLimited: Bool, _ block: (StoreConnection) throws -> T) throws -> T {
        var generation = self
        while true {
            if let held = generation.held() { return try block(held) }
            let semaphore = DispatchSemaphore(value: 0)
            switch generation.lease(isLimited: isLimited, wake: { { _ = semaphore.signal() } }) {
            case .moved(let next): generation = next
            case .failed: throw StoreError.closed
            case .wait: semaphore.wait()
            case .connection(let connection):
                defer { generation.giveBack(connection) }
                return try generation.holding(connection) { try block(connection) }
            }
        }
    }
}
