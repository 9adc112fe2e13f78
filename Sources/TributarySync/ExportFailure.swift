import Glibc

/// Why nothing is exported, besides what reading and writing throw.
package enum ExportFailure: Error, Hashable {
    /// The store's own clock is ahead of the wall: what it exported now would win over everybody.
    case clockAhead(milliseconds: UInt64)
    case cannotSync(path: String, code: Int32)
}

extension ExportFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .clockAhead(let milliseconds):
            "This store's own clock is \(milliseconds / 1000) s ahead of the machine's; nothing is exported."
        case .cannotSync(let path, let code): "\(path) cannot be brought to disk: \(String(cString: strerror(code)))"
        }
    }
}
