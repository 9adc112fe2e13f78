import Dispatch
import GRDB

extension DatabaseQueue {
    static func scratch<T>(_ body: (Database) throws -> T) throws -> T {
        try scratch().writeWithoutTransaction { scratch in
            let result = try body(scratch)
            try scratch.execute(sql: "COMMIT")
            return result
        }
    }

    /// A temporary database, in a transaction: an empty path is a private file that vanishes with the connection.
    static func scratch() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "tributary.sorter"
        configuration.qos = .default
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: "", configuration: configuration)
        try queue.writeWithoutTransaction { scratch in
            try scratch.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
        }
        return queue
    }
}
