import Glibc
package import TributaryChanges

/// The reason why nothing is exported, besides errors of reading and writing.
package enum ExportFailure: Error, Hashable {
    /// The store's clock is ahead of the wall clock: its exports would win over all other writers.
    ///
    /// The writer is another one whose clock is ahead, and whose writes local changes have overwritten; nil for none.
    case clockAhead(by: Duration, after: UniqueID? = nil)
    case cannotSync(path: String, code: Int32)
    /// The folder contains no earlier export of this writer: an empty folder may be in the place of a share.
    ///
    /// It is certain that it is no such folder when it is the one that the store has used, or has another writer's files.
    case foreignFolder(path: String, writer: UniqueID, sequence: UInt64, isCertain: Bool = false)
}

extension ExportFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .clockAhead(let ahead, _):
            "This store's own clock is \(ahead.components.seconds) s ahead of the machine's; nothing is exported."
        case .cannotSync(let path, let code): "\(path) cannot be brought to disk: \(String(cString: strerror(code)))"
        case .foreignFolder(let path, _, let sequence, let isCertain):
            "\(path) has no segments of this store, which has exported transactions up to \(sequence): "
                + (isCertain ? "its own folder was removed." : "it is another folder.")
        }
    }
}
