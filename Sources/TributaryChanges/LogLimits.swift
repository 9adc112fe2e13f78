/// How much a line of the log may hold; a segment with more is rejected.
package enum LogLimits {
    /// Bytes of a name, an author or a model's version.
    package static let textBytes = 256
    /// Entries of `seen` in one transaction line.
    package static let seenEntries = 10_000

    /// The text without what is past the limit.
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
