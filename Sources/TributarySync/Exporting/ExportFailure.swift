import Glibc
package import TributaryChanges

/// Why nothing is exported, besides what reading and writing throw.
package enum ExportFailure: Error, Hashable {
    /// The store's own clock is ahead of the wall: what it exported now would win over everybody.
    case clockAhead(milliseconds: UInt64)
    case cannotSync(path: String, code: Int32)
    /// The folder has nothing of what was exported to it: an empty folder in the place of a share.
    case foreignFolder(path: String, writer: UniqueID, sequence: UInt64)
}

extension ExportFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .clockAhead(let milliseconds):
            "This store's own clock is \(milliseconds / 1000) s ahead of the machine's; nothing is exported."
        case .cannotSync(let path, let code): "\(path) cannot be brought to disk: \(String(cString: strerror(code)))"
        case .foreignFolder(let path, _, let sequence):
            "\(path) has no segments of this store, which has exported \(sequence) transactions: it is another folder."
        }
    }
}
