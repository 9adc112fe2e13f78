package enum LogLimits {
    /// The limit of a name, an author or a model's version.
    package static let textBytes = 256
    /// In one transaction line.
    package static let seenEntries = 10_000
    package static let baselineWriters = 65_536
    /// In all lines of a baseline together.
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
