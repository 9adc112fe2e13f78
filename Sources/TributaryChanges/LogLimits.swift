/// The limits of a line of the log; a segment that exceeds a limit is rejected.
package enum LogLimits {
    /// The greatest number of bytes of a name, an author or a model's version.
    package static let textBytes = 256
    /// The greatest number of entries of `seen` in one transaction line.
    package static let seenEntries = 10_000
    package static let baselineWriters = 65_536
    /// The greatest number of entries of `seen` in all lines of a baseline together.
    package static let baselineSeenEntries = 1 << 20

    package static func cut(_ text: String) -> String {
        guard text.utf8.count > textBytes else { return text }
        var kept = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= textBytes else { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}
