import Glibc
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

struct StartFailure: Error, Hashable, Sendable, CustomStringConvertible {
    var reason: String
    var status: ExitStatus

    init(_ reason: String, status: ExitStatus) {
        self.reason = reason
        self.status = status
    }

    /// A temporary failure lets the service start again.
    init(_ words: String, code: Int32) {
        self.init(
            "\(words): \(String(cString: strerror(code)))",
            status: ExitStatus(passing: code) ?? .badConfiguration
        )
    }

    var description: String { reason }
}

extension StartFailure {
    static func naming<T>(_ store: String, _ block: () throws -> T) throws -> T {
        do {
            return try block()
        } catch MigrationError.interrupted(let from, let to) {
            throw MigrationInterruption(from: from, to: to)
        } catch let error as MigrationError {
            throw StartFailure("the store '\(store)' cannot take the model: \(error)", status: .badConfiguration)
        } catch let error as StoreError {
            throw StartFailure(error, store: store)
        }
    }

    init(_ error: StoreError, store: String) {
        switch error {
        case .cannotOpen(let path, let reason):
            self.init("the store '\(path)' cannot be opened: \(reason)", status: .inputOutput)
        case .otherFormat: self.init("\(error)", status: .badConfiguration)
        case .cannotMigrate(let path, let reason):
            self.init("the store '\(path)' cannot take the new model: \(reason)", status: .badConfiguration)
        case _ where error.isDamage:
            self.init(
                "the store's file is damaged (\(error)): if it is a copy, copy the original's STORE-wal too; otherwise "
                    + "restore a backup, or rebuild the store from the log folder: "
                    + "tributaryctl restore --from-logs --store \(store.shellWord)",
                status: .inputOutput
            )
        default:
            self.init("the store failed: \(error)", status: .inputOutput)
        }
    }
}

/// The store is at the old version, and the next start migrates it again.
struct MigrationInterruption: Error, CustomStringConvertible {
    let from: String
    let to: String

    var description: String {
        "The migration from model version '\(from)' to '\(to)' was stopped; it starts again at the next start"
    }
}
