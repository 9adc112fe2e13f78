package import TributaryChanges

/// A missing transaction range or blob on which a segment depends.
package enum UnmetDependency: Hashable, Sendable {
    /// Transactions of a writer, both bounds included.
    case transactions(writer: UniqueID, from: UInt64, through: UInt64)
    case blob(writer: UniqueID, sha256: String)
}

extension UnmetDependency: CustomStringConvertible {
    /// `<writer> 3-6` with decimal sequences, or `blob <sha256>`.
    package var description: String {
        switch self {
        case .transactions(let writer, let from, let through):
            from == through ? "\(writer) \(from)" : "\(writer) \(from)-\(through)"
        case .blob(_, let sha256): "blob \(sha256)"
        }
    }
}
