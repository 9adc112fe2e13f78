import Glibc
import TributaryChanges

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "the store '\(path)' cannot be opened: \(reason)"
        case .otherFormat(let path, let reason): "the store '\(path)' \(reason)"
        case .cannotMigrate(let path, let reason): "the store '\(path)' cannot take the new model: \(reason)"
        case .database(let code, let message): StoreError.text(ofCode: code, message)
        case .duplicateID(let id): "there is an object \(id.entity) \(id.uniqueID) already"
        case .sharesKey(let key):
            "\(key.object) would have the same \(key.entity) \(key.properties.joined(separator: ", ")) as \(key.other), "
                + "an older object that this transaction would show: save first what frees the key, then decide"
        case .invalidChange(let index, let reason): "change \(index): \(reason)"
        case .invalidQuery(let reason): reason
        case .timedOut(let duration): "reading took longer than \(duration.components.seconds) s"
        case .outOfSequence(let writer, let sequence, let expected):
            "transaction \(sequence) of writer \(writer) came where \(expected) is due"
        case .closed: "the store is closed"
        case .nestedTransaction(let holder): "\(holder) is writing to the store on this thread"
        case .deadlock(let cycle): "waiting would never end: \(cycle)"
        case .blob(let path, let reason): "the file '\(path)' of a large value cannot be used: \(reason)"
        case .scratch(let path, let code): "'\(path)' cannot be written: \(String(cString: strerror(code)))"
        }
    }

    private static func text(ofCode code: Int32, _ message: String) -> String {
        switch code & 0xFF {
        case full: "the disk of the store is full (SQLite: \(message))"
        case busy: "another program keeps the store locked (SQLite: \(message))"
        default: "SQLite failed with \(message) (code \(code))"
        }
    }
}
